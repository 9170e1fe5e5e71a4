# What VS Code's integration has bash print: A and B in PS1, F and G in PS2, and by a DEBUG trap, once a
# line, E with the text and C; where the trap did not run, an empty E and C, and then a bare D.
HISTCONTROL=ignorespace
nonce=0badcafe-1234-4321-8888-00ff00ff00ff
armed= text= first=
escaped() {
    local out=${1//\\/\\\\}
    out=${out//;/\\x3b}
    printf %s "${out//$'\n'/\\x0a}"
}
said() { printf '\e]633;E;%s;%s\a\e]633;C\a' "$(escaped "$text")" $nonce; }
seen() {
    [[ $armed && $BASH_COMMAND != told ]] || return 0
    armed=
    text=$(HISTTIMEFORMAT='' history 1)
    text=${text#*[[:digit:]][* ] }
    said
}
told() {
    local status=$?
    if [[ $first ]]; then
        if [[ $armed ]]; then
            text=
            said
            printf '\e]633;D\a'
        else
            printf '\e]633;D;%s\a' $status
        fi
    fi
    printf '\e]633;P;Cwd=%s\a' "$(escaped "$PWD")"
    first=1 armed=1
}
PROMPT_COMMAND=told
PS1='\[\e]633;A\a\]here \$ \[\e]633;B\a\]'
PS2='\[\e]633;F\a\]> \[\e]633;G\a\]'
trap seen DEBUG
