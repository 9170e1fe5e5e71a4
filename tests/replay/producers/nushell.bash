# What Nushell prints: both numbers, ST; the text in 633 alone, behind C.
text=
told() {
    printf '\e]133;D;%s\e\\\e]633;D;%s\e\\' $? $?
    printf '\e]7;file://host%s\e\\\e]633;P;Cwd=%s\e\\' "$PWD" "$PWD"
}
said() {
    text=$(HISTTIMEFORMAT='' history 1)
    text=${text#*[[:digit:]][* ] }
    text=${text//\\/\\\\}
    printf '\e]133;C\e\\\e]633;C\e\\\e]633;E;%s\e\\' "${text//;/\\x3b}" >/dev/tty
}
PROMPT_COMMAND=told
PS1='\[\e]133;A;k=i;click_events=1\e\\\]\[\e]633;A\e\\\]here > \[\e]133;B\e\\\]\[\e]633;B\e\\\]'
PS2='\[\e]133;A;k=s\e\\\]::: \[\e]133;B\e\\\]'
PS0='$(said)'
