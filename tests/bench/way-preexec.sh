# bash-preexec's way: arrays of functions around a DEBUG trap, the text from `history 1` in a
# subshell, and the trap's checks at every command. For comparison in the bench.
. ~/.bashrc
w_mode=
w_precmds=(w_status)
w_preexecs=(w_begin)
w_status() { printf '\e]133;D;%s\a' "$w_last"; }
w_begin() { printf '\e]133;C\a'; }
w_in_prompt_command() {
    local part IFS=$'\n;'
    local -a parts
    read -rd '' -a parts <<<"${PROMPT_COMMAND[*]:-}"
    for part in "${parts[@]}"; do
        [[ $part == "$1" ]] && return 0
    done
    return 1
}
w_debug() {
    [[ -t 1 ]] || return
    [[ -n $w_mode ]] || return
    [[ 0 -eq ${BASH_SUBSHELL:-} ]] && w_mode=
    if w_in_prompt_command "$BASH_COMMAND"; then
        w_mode=
        return
    fi
    local text f
    text=$(export LC_ALL=C; HISTTIMEFORMAT= builtin history 1 | sed '1 s/^ *[0-9][0-9]*[* ] //')
    for f in "${w_preexecs[@]}"; do "$f" "$text"; done
}
w_invoke() {
    w_last=$?
    local f
    for f in "${w_precmds[@]}"; do "$f"; done
    return "$w_last"
}
w_interactive() { w_mode=on; }
PROMPT_COMMAND=w_invoke$'\n'w_interactive
PS1='\[\e]133;A\a\]'"$PS1"'\[\e]133;B\a\]'
trap w_debug DEBUG
