# ptyd's integration for zsh 5.3 and newer.
#
# The daemon points ZDOTDIR at a folder whose .zshenv reads this text from descriptor 3, behind
# lines that set __ptyd_v[1] (the nonce) and put ZDOTDIR back. Nothing of it is on disk and nothing
# is exported. It prints marks (ptyd-marks(7)): O at the front of PROMPT_EOL_MARK, which zsh prints
# after a command's last byte and before anything else; P, D and A from precmd; B from
# zle-line-init, when the prompt stands; C with the text from preexec. No fork at a prompt.
#
# __ptyd_v: 1 nonce, 2 last seq, 3 directory told last, 4 a command runs, 5 B was printed,
#           6 what __ptyd_encode is given, and gives, 7 inside __ptyd_line_init, 8 the user's
#           PROMPT_EOL_MARK, 9 what we made of it, 10 marks to be printed, 11 what every mark begins
#           with.
# Arrays are never exported, whatever `setopt allexport` says. Options are the user's: every
# function begins with `emulate -L`, which leaves them so, and traps with them (LOCAL_TRAPS).
# A call costs as much as ten tests: what happens at every prompt is not in functions of its own.
exec 3<&-
__ptyd_v[11]=$'\e]7711;'"${__ptyd_v[1]};"

# Percent-encodes __ptyd_v[6], byte by byte: for what holds a %, a ; or a control character, or is
# long. The daemon keeps 24 KiB of a mark; more than that is not worth the work.
__ptyd_encode() {
    emulate -L zsh -o extended_glob -o no_multibyte +x
    builtin local MATCH MBEGIN MEND
    __ptyd_v[6]=${${__ptyd_v[6][1,25000]}//(#m)[%;[:cntrl:]]/%${(l:2::0:)$(( [##16] #MATCH ))}}
}

# Another directory. Marks are appended to __ptyd_v[10]; who is done prints them: to the terminal,
# wherever the user's output goes.
__ptyd_directory() {
    __ptyd_v[3]=$PWD
    __ptyd_v[6]=$PWD
    __ptyd_encode
    __ptyd_v[10]+="${__ptyd_v[11]}$((++__ptyd_v[2]));P;cwd=${__ptyd_v[6]}"$'\a'
}

# The sign for a missing newline is the user's again, or still.
__ptyd_end_sign() {
    __ptyd_v[8]=${PROMPT_EOL_MARK-%B%S%#%s%b}
    builtin unset PROMPT_EOL_MARK
    builtin typeset -ga PROMPT_EOL_MARK
}

# Ours is the first precmd, so that no other's trouble keeps it from running, and the last
# preexec, so that what others print there is no output.
__ptyd_arrange() {
    builtin typeset -ga precmd_functions preexec_functions
    if [[ ${precmd_functions[1]-} != __ptyd_precmd ]]; then
        precmd_functions=(__ptyd_precmd ${precmd_functions:#__ptyd_precmd})
    fi
    if [[ ${preexec_functions[-1]-} != __ptyd_preexec ]]; then
        preexec_functions=(${preexec_functions:#__ptyd_preexec} __ptyd_preexec)
    fi
}

# Who replaced our widget without calling it is called by it.
__ptyd_widget() {
    builtin local current="${widgets[zle-line-init]-}"
    if [[ $current == user:__ptyd_line_init ]]; then
        return 0
    fi
    if [[ -n $current ]]; then
        builtin zle -A zle-line-init __ptyd_next_line_init
    fi
    builtin zle -N zle-line-init __ptyd_line_init
}

__ptyd_precmd() {
    builtin local __ptyd_status="$?" __ptyd_last="$_" __ptyd_ignores=0
    if [[ -o hist_ignore_space ]] { __ptyd_ignores=1 }
    emulate -L zsh +x
    builtin trap - DEBUG
    if [[ ${__ptyd_v[3]} != "$PWD" ]] { __ptyd_directory }
    if (( __ptyd_v[4] )); then
        __ptyd_v[10]+="${__ptyd_v[11]}$((++__ptyd_v[2]));D;st=$__ptyd_status"$'\a'
        __ptyd_v[4]=0
    fi
    __ptyd_v[10]+="${__ptyd_v[11]}$((++__ptyd_v[2]));A;ign=$__ptyd_ignores"$'\a'
    if [[ ${precmd_functions[1]-} != __ptyd_precmd || ${preexec_functions[-1]-} != __ptyd_preexec ]]; then
        __ptyd_arrange
    fi
    if (( ! __ptyd_v[5] )) { __ptyd_widget }
    __ptyd_v[5]=0
    if [[ ! -o zle ]] { __ptyd_v[10]+="${__ptyd_v[11]}$((++__ptyd_v[2]));B"$'\a' }
    builtin print -rn -- "${__ptyd_v[10]}" >|/dev/tty
    __ptyd_v[10]=
    : "$__ptyd_last"
}

# Only at the first line of a command, as CONTEXT says; not in vared, select or a continuation. Where
# somebody emptied precmd_functions, D and A have not come yet: they come here.
__ptyd_line_init() {
    builtin local __ptyd_status="$?" __ptyd_ignores=0
    if [[ -o hist_ignore_space ]] { __ptyd_ignores=1 }
    emulate -L zsh +x
    builtin trap - DEBUG
    if (( __ptyd_v[7] )); then
        return 0
    fi
    __ptyd_v[7]=1
    {
        if [[ ${CONTEXT-} == start ]]; then
            if [[ ${__ptyd_v[3]} != "$PWD" ]] { __ptyd_directory }
            if (( __ptyd_v[4] )); then
                __ptyd_v[4]=0
                __ptyd_v[10]+="${__ptyd_v[11]}$((++__ptyd_v[2]));D;st=$__ptyd_status"$'\a'
                __ptyd_v[10]+="${__ptyd_v[11]}$((++__ptyd_v[2]));A;ign=$__ptyd_ignores"$'\a'
            fi
            builtin print -rn -- "${__ptyd_v[10]}${__ptyd_v[11]}$((++__ptyd_v[2]));B"$'\a' >|/dev/tty
            __ptyd_v[10]=
            __ptyd_v[5]=1
            if [[ ${precmd_functions[1]-} != __ptyd_precmd || ${preexec_functions[-1]-} != __ptyd_preexec ]]; then
                __ptyd_arrange
            fi
        fi
        if (( ${+widgets[__ptyd_next_line_init]} )); then
            builtin zle __ptyd_next_line_init -- "$@"
        fi
    } always {
        __ptyd_v[7]=0
    }
}

__ptyd_preexec() {
    builtin local __ptyd_last="$_"
    emulate -L zsh +x
    builtin trap - DEBUG
    if (( ! __ptyd_v[4] )); then
        __ptyd_v[6]=${1:-${3-}}
        if [[ ${__ptyd_v[6]} == *[%\;[:cntrl:]]* || ${#__ptyd_v[6]} -ge 8000 ]] { __ptyd_encode }
        builtin print -rn -- "${__ptyd_v[11]}$((++__ptyd_v[2]));C${__ptyd_v[6]:+;cmd=}${__ptyd_v[6]}"$'\a' >|/dev/tty
        # The mark that output has ended goes in front of the sign for a missing newline. An array of
        # one element: zsh reads it like a string and `export` cannot put it into an environment.
        if [[ ${PROMPT_EOL_MARK-unset} != "${__ptyd_v[9]}" ]] { __ptyd_end_sign }
        __ptyd_v[9]="%{${__ptyd_v[11]}$((++__ptyd_v[2]));O"$'\a%}'"${__ptyd_v[8]}"
        PROMPT_EOL_MARK=("${__ptyd_v[9]}")
    fi
    __ptyd_v[4]=1
    : "$__ptyd_last"
}

# Start-up files may have thrown away every hook but this one, which runs before preexec.
__ptyd_accept() {
    emulate -L zsh +x
    builtin trap - DEBUG
    if [[ ${precmd_functions[(r)__ptyd_precmd]-} != __ptyd_precmd ]]; then
        __ptyd_arrange
        __ptyd_widget
        builtin print -rn -- "${__ptyd_v[11]}$((++__ptyd_v[2]));A"$'\a' >|/dev/tty
    fi
    return 0
}

if [[ -o interactive && ( ${ZSH_VERSION%%.*} -gt 5 || $ZSH_VERSION == 5.(<3->|<3->.*) ) ]]; then
    __ptyd_arrange
    zshaddhistory_functions+=(__ptyd_accept)
elif [[ -o interactive ]]; then
    builtin print -n "\033]7711;${__ptyd_v[1]};1;P;lost=zsh $ZSH_VERSION is older than 5.3\a" >/dev/tty
    builtin unset __ptyd_v
fi

# The user's own file, at the top level, so that `typeset` in it means what it always means.
if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
    builtin source "${ZDOTDIR:-$HOME}/.zshenv"
fi
