# ptyd's integration for bash 4.4 and newer.
#
# The daemon hands this text over a pipe, as the shell's rc file, behind one line that sets
# __ptyd_v[0] (the nonce) and __ptyd_v[5] (1 for a login shell). Nothing of it is on disk and
# nothing is exported. It prints marks (ptyd-marks(7)): D and A from PROMPT_COMMAND, B at the end of
# PS1, C from PS0. No DEBUG trap; no fork at a prompt.
#
# __ptyd_v: 0 nonce, 1 last seq, 2 HISTCMD at the last prompt, 3 directory told last,
#           4 a command was started (set by PS0), 5 login, 6 what every mark begins with,
#           7 result of __ptyd_encode, 8 what is lost, 9 B, 10 C, 11 prompts, hooks and options as
#           we left them, 12 tracing to be turned on again, 13 lines with a space are private,
#           14 $? kept for us (bash < 5.1).
# An array, because arrays are never exported, whatever `set -a` says.
exec 3<&-
__ptyd_v[1]=0
__ptyd_v[2]=0
__ptyd_v[3]=
__ptyd_v[4]=0
__ptyd_v[6]=$'\e]7711;'${__ptyd_v[0]}\;
__ptyd_v[8]=
__ptyd_v[11]=
__ptyd_v[12]=

# Percent-encodes $1 into __ptyd_v[7]: what holds a %, a ; or a control character, byte by byte.
__ptyd_encode() {
    __ptyd_v[7]=$1
    case $1 in
    *[%\;[:cntrl:]]*) ;;
    *) return 0 ;;
    esac
    builtin local LC_ALL=C __ptyd_i __ptyd_c __ptyd_h
    __ptyd_v[7]=
    for ((__ptyd_i = 0; __ptyd_i < ${#1}; __ptyd_i++)); do
        __ptyd_c=${1:__ptyd_i:1}
        case $__ptyd_c in
        [%\;[:cntrl:]])
            builtin printf -v __ptyd_h '%%%02X' "'$__ptyd_c"
            __ptyd_c=$__ptyd_h
            ;;
        esac
        __ptyd_v[7]+=$__ptyd_c
    done
    return 0
}

# What cannot be told and why.
__ptyd_lost() {
    __ptyd_v[8]=$1
    __ptyd_encode "$1"
    builtin printf '\e]7711;%s;%d;P;lost=%s\a' \
        "${__ptyd_v[0]}" "$((++__ptyd_v[1]))" "${__ptyd_v[7]}" >|/dev/tty
    return 0
}

# PS1 ends with B, PS0 with C: as references, so that neither string holds the nonce and both are
# empty in a shell that inherits them.
__ptyd_prompts() {
    if ! builtin shopt -q promptvars; then
        PS1=${PS1-}; PS1=${PS1//'\[${__ptyd_v[9]-}\]'}
        PS0=${PS0-}; PS0=${PS0//'${__ptyd_v[10]+${__ptyd_v[10]:$((__ptyd_v[4]=1,0))}}'}
        if [[ -z ${__ptyd_v[8]} ]]; then
            __ptyd_lost 'shopt -u promptvars: its prompts expand nothing'
        fi
        return 0
    fi
    if [[ ${PS0-} == *'__ptyd_v[10]'* ]]; then
        builtin :
    elif [[ ${PS0@a} == *r* ]]; then
        if [[ -z ${__ptyd_v[8]} ]]; then __ptyd_lost 'PS0 is read-only'; fi
        return 0
    else
        PS0=${PS0-}'${__ptyd_v[10]+${__ptyd_v[10]:$((__ptyd_v[4]=1,0))}}'
    fi
    if [[ -n ${__ptyd_v[8]} ]]; then __ptyd_lost ''; fi
    if [[ ${PS1-} != *'${__ptyd_v[9]-}'* && ${PS1@a} != *r* ]]; then
        PS1=${PS1-}'\[${__ptyd_v[9]-}\]'
    fi
    return 0
}

# Our hooks stand around all others: O before them, so that what they print is no output; D and A
# behind them, next to the prompt. Who was added outside moves between. ble.sh says how a command
# ended before it runs these: there O is printed by its own hook.
__ptyd_arrange() {
    if [[ -n ${BLE_VERSION-} ]] && builtin declare -F blehook >/dev/null; then
        blehook POSTEXEC!=__ptyd_over || builtin :
    fi
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then return 0; fi
    if [[ ${PROMPT_COMMAND[*]@a} == *r* ]]; then
        if [[ ${PROMPT_COMMAND[*]} != *__ptyd_hook* ]]; then __ptyd_lost 'PROMPT_COMMAND is read-only'; fi
        return 0
    fi
    builtin local __ptyd_i
    builtin local -a __ptyd_others
    __ptyd_others=()
    for __ptyd_i in "${PROMPT_COMMAND[@]}"; do
        # Others may have joined ours with theirs to one string.
        __ptyd_i=${__ptyd_i//'{ __ptyd_over; } >/dev/null 2>&1'}
        __ptyd_i=${__ptyd_i//'{ __ptyd_hook "$?"; } >/dev/null 2>&1'}
        if [[ $__ptyd_i == *[![:space:]]* ]]; then __ptyd_others+=("$__ptyd_i"); fi
    done
    if ((${#__ptyd_others[@]})); then
        PROMPT_COMMAND=('{ __ptyd_over; } >/dev/null 2>&1' "${__ptyd_others[@]}"
            '{ __ptyd_hook "$?"; } >/dev/null 2>&1')
    else # at a place where a later PROMPT_COMMAND=... does not overwrite it
        PROMPT_COMMAND=([7711]='{ __ptyd_hook "$?"; } >/dev/null 2>&1')
    fi
    return 0
}

# Somebody changed prompt strings, hooks or options: ours are put right. Then the marks, as always.
__ptyd_changed() {
    if [[ $- == *x* ]]; then builtin set +x; __ptyd_v[12]=1; fi
    __ptyd_prompts
    __ptyd_arrange
    # Lines that begin with a space stay out of history: they are private.
    __ptyd_v[13]=0
    if [[ ${HISTCONTROL-} == *ignore[sb]* ]]; then __ptyd_v[13]=1; fi
    __ptyd_v[11]=$-$BASHOPTS${HISTCONTROL-}${PROMPT_COMMAND[*]-}${PS1-}${PS0-}
    __ptyd_hook "$1"
    if [[ ${PS1-} != *'${__ptyd_v[9]-}'* ]]; then # PS1 is read-only
        builtin printf %s "${__ptyd_v[9]}" >|/dev/tty
        __ptyd_v[11]=
    fi
    if [[ -n ${__ptyd_v[12]} ]]; then
        __ptyd_v[11]= __ptyd_v[12]=
        builtin set -x
    fi
    return 0
}

__ptyd_directory() {
    __ptyd_v[3]=$PWD
    __ptyd_encode "$PWD"
    builtin printf %s "${__ptyd_v[6]}$((++__ptyd_v[1]));P;cwd=${__ptyd_v[7]}"$'\a' >|/dev/tty
    return 0
}

# The command's output has ended. Not traced: BASH_XTRACEFD may lead to a file.
__ptyd_over() {
    if ((__ptyd_v[4])); then
        if [[ $- == *x* ]]; then builtin set +x; __ptyd_v[12]=1; fi
        builtin printf '\e]7711;%s;%d;O\a' "${__ptyd_v[0]}" "$((++__ptyd_v[1]))" >|/dev/tty
        if [[ -n ${__ptyd_v[12]} ]]; then __ptyd_v[12]=; builtin set -x; fi
    fi
    return 0
}

# The marks before a prompt; $1 is the last command's status. Callers send standard error to
# /dev/null, so that `set -x` shows nothing of it, and standard output as well: DEBUG traps see the
# call, and those that look for the user's commands (bash-preexec's) skip what has no terminal.
# Tracing to a descriptor of its own (BASH_XTRACEFD) is turned off meanwhile. Because this runs at
# every prompt the common way calls no function and writes twice: before and after `history 1`.
__ptyd_hook() {
    if [[ $-$BASHOPTS${HISTCONTROL-}${PROMPT_COMMAND[*]-}${PS1-}${PS0-} != "${__ptyd_v[11]}" ]]; then
        __ptyd_changed "$1"
        return 0
    fi
    if [[ ${__ptyd_v[3]} != "$PWD" ]]; then __ptyd_directory; fi
    if ((__ptyd_v[1] += 4, __ptyd_v[4])); then # D, A, B, C
        {
            builtin printf %s "${__ptyd_v[6]}$((__ptyd_v[1] - 3));D;st=$1;hist=$((__ptyd_v[4] = 0, ${HISTCMD:-0} != __ptyd_v[2]));raw="
            if [[ -n ${HISTTIMEFORMAT+set} ]]; then
                HISTTIMEFORMAT= builtin history 1
            else
                builtin history 1
            fi
            builtin printf %s ";${__ptyd_v[0]}"$'\a'"${__ptyd_v[6]}$((__ptyd_v[1] - 2));A;ign=${__ptyd_v[13]}"$'\a'
        } >|/dev/tty
    else
        builtin printf %s "${__ptyd_v[6]}$((__ptyd_v[1] - 2));A;ign=${__ptyd_v[13]}"$'\a' >|/dev/tty
    fi
    __ptyd_v[9]=${__ptyd_v[6]}$((__ptyd_v[1] - 1))$';B\a' __ptyd_v[10]=${__ptyd_v[6]}${__ptyd_v[1]}$';C\a' __ptyd_v[2]=${HISTCMD:-0}
}

__ptyd_keep() {
    __ptyd_v[14]=$?
    __ptyd_over
    return "${__ptyd_v[14]}"
}

# bash 5.1 runs every element of PROMPT_COMMAND with the same $? and PIPESTATUS; older ones have
# one string, in front of which the status is kept.
__ptyd_setup() {
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        __ptyd_arrange
    elif [[ ${PROMPT_COMMAND@a} == *r* ]]; then
        __ptyd_lost 'PROMPT_COMMAND is read-only'
    else
        PROMPT_COMMAND=$'{ __ptyd_keep; } 2>/dev/null\n'${PROMPT_COMMAND-}$'\n{ __ptyd_hook "${__ptyd_v[14]}"; } >/dev/null 2>&1'
    fi
    builtin export -n PROMPT_COMMAND
    builtin unset -f __ptyd_setup
    return 0
}

# The user's own files, at the top level, so that `declare` in them means what it always means.
if ((__ptyd_v[5])); then
    if [[ -r /etc/profile ]]; then builtin . /etc/profile; fi
    if [[ -r ~/.bash_profile ]]; then
        builtin . ~/.bash_profile
    elif [[ -r ~/.bash_login ]]; then
        builtin . ~/.bash_login
    elif [[ -r ~/.profile ]]; then
        builtin . ~/.profile
    fi
elif [[ -r ~/.bashrc ]]; then
    builtin . ~/.bashrc
fi
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    \__ptyd_setup
else
    __ptyd_v[3]="bash ${BASH_VERSION%%(*} is older than 4.4 and cannot tell of its commands"
    builtin printf '\033]7711;%s;1;P;lost=%s\a' "${__ptyd_v[0]}" "${__ptyd_v[3]}" >/dev/tty
    builtin unset __ptyd_v
fi
