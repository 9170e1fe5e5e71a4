# What kitty's integration has bash print: A with PS1, A;k=s with PS2, C with history's newest entry as
# printf %q makes it, D in front of the next A. No B.
HISTCONTROL=ignorespace
said() {
    local text
    text=$(HISTTIMEFORMAT='' history 1)
    text=${text#*[[:digit:]][* ] }
    printf '\e]133;C;cmdline=%q\a' "$text" >/dev/tty
}
told() { printf '\e]133;D;%s\a\e]7;kitty-shell-cwd://host%s\a' $? "$PWD"; }
PROMPT_COMMAND=told
PS1='\[\e]133;A\a\]here \$ '
PS2='\[\e]133;A;k=s\a\]> '
PS0='$(said)'
