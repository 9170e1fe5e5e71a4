# What kitty's integration has zsh print: no B, the text as printf %q makes it.
preexec() { printf '\e]133;C;cmdline=%q\a' "$1" }
precmd() { print -n "\e]133;D;$?\a" }
PS1=$'%{\e]133;A\a%}here %% '
PS2=$'%{\e]133;A;k=s\a%}> '
