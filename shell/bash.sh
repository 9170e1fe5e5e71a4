# ptyd's integration for bash 4.4 and newer.
#
# The daemon hands this text over a pipe, as the shell's rc file (in POSIX mode as what ENV names), behind lines that set
# __ptyd_v[0] (the nonce) and __ptyd_v[5] (1 for a login shell). Nothing of it is on disk and
# nothing is exported. It prints marks (ptyd-marks(7)): D and A from PROMPT_COMMAND, B at the end of
# PS1, C from PS0. No DEBUG trap; no fork at a prompt.
#
# What one write(2) prints to a terminal has nothing of others in it, and bash writes a line, or
# 1,024 bytes: so a mark is one printf without a newline, and longer texts come in parts. Each ends
# with its length, which is not true of one that others got into all the same; but for A behind D, B
# and C, which say nothing but a number, of as many digits as the one before.
#
# All of it is in arrays, which are never exported, whatever `set -a` says: in __ptyd_v what a prompt
# seldom needs, the rest in arrays of one element, which are as fast to read as a variable (an index
# costs six times that).
#
# __ptyd_v: 0 nonce, 5 login, 7 result of __ptyd_encode, 8 what is lost, 11 options to be turned on
#           again, 12 `set -a` is to be, 14 $? kept for us (bash < 5.1), 15 our file, 16 which here-documents were read,
#           21 and 22 our hooks.
# __ptyd_seq   last number of a mark, of 7 digits; an 8th is 1 in D, 2 in A, 3 in B, 4 in C, else 0
#        at    HISTCMD at the last prompt     new    entries of history since
#        count of those that are told         text   that text, and D
#        heard the text was read, or is not to be
#        ran   commands started (counted by PS0)
#        told  directory told last            says   what D and A say of it and of history
#        head  what every mark begins with    tail   what it ends with
#        here  head and number                B, C   those marks
#        ign   of these the latter            status the last command's
#        room  how long a text goes into D    wide   a character of two bytes
#        left  hooks and settings of history as we left them
#        raw   nothing, where prompt strings are expanded
exec 3<&-
__ptyd_head[0]=$'\e]7711;'"$__ptyd_v;" __ptyd_tail[0]=";$__ptyd_v"$'\a' __ptyd_file[0]=${__ptyd_v[15]-} __ptyd_wide[0]=é __ptyd_raw[0]='$9'
__ptyd_seq[0]=1000000 __ptyd_at[0]=0 __ptyd_ran[0]=0 __ptyd_new[0]=0 __ptyd_count[0]=1 __ptyd_heard[0]=0 __ptyd_status[0]=0 __ptyd_room[0]=0
__ptyd_told[0]= __ptyd_says[0]= __ptyd_here[0]= __ptyd_text[0]= __ptyd_ign[0]= __ptyd_left[0]= __ptyd_B=() __ptyd_C=()
__ptyd_v[8]= __ptyd_v[11]= __ptyd_v[16]= __ptyd_v[21]='{ __ptyd_over 1;} &>/dev/null' __ptyd_v[22]='{ __ptyd_hook;} &>/dev/null'

# The first prompt, where nobody has changed anything yet and no command ran: B, C and A. What comes behind
# it is read at the second one.
__ptyd_hook() {
    __ptyd_status=${1-$?}
    if [[ $__ptyd_seq == 1000000 && -n $__ptyd_left && -o history ]]; then
        __ptyd_here=$__ptyd_head$((++__ptyd_seq)) __ptyd_at=$HISTCMD
        __ptyd_B=${__ptyd_here}3\;B$'\a' __ptyd_C=${__ptyd_here}4\;C$'\a' __ptyd_here+=2\;A$__ptyd_says
        builtin printf %s "$__ptyd_here;$((10000 * ${#__ptyd_wide} + ${#__ptyd_here} - 40))$__ptyd_tail" >|/dev/tty
    elif __ptyd_later hooks; then
        __ptyd_hook "$__ptyd_status"
        if [[ -n ${__ptyd_v[11]} ]]; then __ptyd_v[11]=; builtin set -x; fi
    else
        __ptyd_B= __ptyd_C= # they are told
    fi
}

# The rest is for later, or happens seldom. tools/folded puts what stands between the lines `#<NAME` and `#>` into
# here-documents of __ptyd_NAME, which bash need not parse when it starts. This reads them: $1 is that name, `seldom`
# where there is none; not a second time. What `hooks` calls of the seldom ones is there in their place until they are
# read. (Aliases are for what the user types, and with `set -a` functions are exported, too.)
__ptyd_later() {
    if [[ -o xtrace ]]; then builtin set +x; __ptyd_v[11]=x; fi
    if [[ ${__ptyd_v[16]} == *"${1-seldom}"* ]]; then return 1; fi
    if [[ -o allexport ]]; then builtin set +a; __ptyd_v[12]=a; fi
    if builtin shopt -q expand_aliases; then
        builtin shopt -u expand_aliases
        if "__ptyd_${1-seldom}"; then __ptyd_v[16]+=${1-seldom}; fi
        builtin shopt -s expand_aliases
    elif "__ptyd_${1-seldom}"; then
        __ptyd_v[16]+=${1-seldom}
    fi
    if [[ -n ${__ptyd_v[12]-} ]]; then __ptyd_v[12]=; builtin set -a; fi
    if [[ ${__ptyd_v[16]} == *"${1-seldom}"* ]]; then
        if [[ ${__ptyd_v[8]} == *here-document* && $1 != hooks ]]; then __ptyd_lost ''; fi
        return 0
    fi
    if [[ -z ${__ptyd_v[8]} ]]; then # as __ptyd_lost: once
        __ptyd_v[8]='bash can write no here-document: is there no room in /tmp?'
        builtin local __ptyd_m="$((++__ptyd_seq))0;P;lost=${__ptyd_v[8]}"
        builtin printf %s "$__ptyd_head$__ptyd_m;$((10000 * ${#__ptyd_wide} + ${#__ptyd_m}))$__ptyd_tail" >|/dev/tty
    fi
    if [[ -n ${__ptyd_v[11]} ]]; then __ptyd_v[11]=; builtin set -x; fi
    return 1
}
#<hooks
if [[ ${__ptyd_v[16]} != *seldom* ]]; then
    __ptyd_changed() { if __ptyd_later; then __ptyd_changed "$@"; fi; }
    __ptyd_directory() { if __ptyd_later; then __ptyd_directory; fi; }
    __ptyd_read() { if __ptyd_later; then __ptyd_read; fi; }
    __ptyd_refused() { if __ptyd_later; then __ptyd_refused; fi; }
    __ptyd_text() { if __ptyd_later; then __ptyd_text; fi; }
fi

# The marks before each further prompt; $1 is the last command's status. Callers send standard error to
# /dev/null, so that `set -x` shows nothing of it, and standard output as well: DEBUG traps see the
# call, and those that look for the user's commands (bash-preexec's) skip what has no terminal.
#
# This runs at every prompt. bash copies a function whole before it runs it: so what is seldom needed
# is in others, and of those the common way calls none. What it looks for first is what somebody
# changed; with a second argument it does not.
#
# In [[ ]] a and A may be the same (nocasematch): then the directory is told anew each time.
__ptyd_hook() {
    __ptyd_status=${1-$?}
    if [[ -z ${2-} && (-o nounset || ! -o history || $-${__ptyd_raw@P}=$HISTCONTROL=$HISTIGNORE=${PROMPT_COMMAND[*]}=$HISTSIZE.$PS1$PS0 != "$__ptyd_left"[!0]*'${__ptyd_B-}'*__ptyd_C*) ]]; then
        __ptyd_changed
        return 0
    fi
    if [[ $__ptyd_told != "$PWD" || a == A ]]; then __ptyd_directory; fi
    if ((++__ptyd_seq, __ptyd_ran)); then # D, A
        if ((__ptyd_heard || __ptyd_ran > 1 || (__ptyd_new = HISTCMD - __ptyd_at) >> 1)) || [[ -n $HISTTIMEFORMAT ]]; then
            __ptyd_read
        else # as __ptyd_read
            __ptyd_text=
            { builtin history 1 && builtin printf '\0'; } 1<>"$__ptyd_file" && builtin mapfile -d '' -tn1 -u3 __ptyd_text 3<"$__ptyd_file" && __ptyd_text=\;text=${__ptyd_text%?}
        fi
        if [[ ${__ptyd_text@Q} != \'* || ${#__ptyd_text} -gt __ptyd_room ]]; then __ptyd_text; fi
        __ptyd_here=$__ptyd_head$__ptyd_seq __ptyd_ran=0 __ptyd_text=${__ptyd_here}1\;D\;st=$__ptyd_status\;hist=$__ptyd_new$__ptyd_says$__ptyd_text
        builtin printf %s "$__ptyd_text;$((10000 * ${#__ptyd_wide} + ${#__ptyd_text} - 40))$__ptyd_tail$__ptyd_here"$'2;A\a' >|/dev/tty
    else
        __ptyd_prompt
    fi
    __ptyd_B=${__ptyd_here}3\;B$'\a' __ptyd_C=${__ptyd_here}4\;C$'\a' __ptyd_at=$HISTCMD
}

# A, where no command ran.
__ptyd_prompt() {
    if ((__ptyd_status == 2)); then __ptyd_refused; fi
    builtin local __ptyd_m="${__ptyd_seq}2;A$__ptyd_says"
    __ptyd_here=$__ptyd_head$__ptyd_seq
    builtin printf %s "$__ptyd_head$__ptyd_m;$((10000 * ${#__ptyd_wide} + ${#__ptyd_m}))$__ptyd_tail" >|/dev/tty
    return 0
}
#>
#<seldom
# Percent-encodes $1 into __ptyd_v[7]: what holds a %, a ; or a control character.
__ptyd_encode() {
    __ptyd_v[7]=$1
    case $1 in
    *[%\;[:cntrl:]]*) ;;
    *) return 0 ;;
    esac
    __ptyd_v[7]=${__ptyd_v[7]//%/%25}
    __ptyd_v[7]=${__ptyd_v[7]//;/%3B}
    __ptyd_v[7]=${__ptyd_v[7]//$'\n'/%0A}
    __ptyd_v[7]=${__ptyd_v[7]//$'\t'/%09}
    if [[ ${__ptyd_v[7]} == *[[:cntrl:]]* ]]; then __ptyd_encode_bytes "$1"; fi
    return 0
}

__ptyd_encode_bytes() {
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

# Prints a mark: $1 is what stands behind its number.
__ptyd_mark() {
    builtin local __ptyd_m="$((++__ptyd_seq))0;$1"
    builtin printf %s "$__ptyd_head$__ptyd_m;$((10000 * ${#__ptyd_wide} + ${#__ptyd_m}))$__ptyd_tail" >|/dev/tty
    return 0
}

# Prints __ptyd_v[7] in parts, and says in it the last one's number: for the field $1.
__ptyd_parts() {
    builtin local __ptyd_i __ptyd_n=0
    for ((__ptyd_i = 0; __ptyd_i < ${#__ptyd_v[7]}; __ptyd_i += 200)); do
        __ptyd_mark "T;i=$((__ptyd_n++));$1=${__ptyd_v[7]:__ptyd_i:200}"
    done
    __ptyd_v[7]=";${1}s=${__ptyd_seq}0"
    return 0
}

# What cannot be told and why.
__ptyd_lost() {
    __ptyd_v[8]=$1
    __ptyd_encode "$1"
    __ptyd_mark "P;lost=${__ptyd_v[7]}"
}

# Whether a variable of these attributes becomes something else than what it is set to: read-only, a
# number, letters of one case. $2 is its name, which says so; without one nothing is said.
__ptyd_fixed() {
    builtin local __ptyd_m
    case $1 in
    *r*) __ptyd_m='is read-only' ;;
    *[cilu]*) __ptyd_m="changes what it is set to (declare -${1%% *})" ;;
    *) return 1 ;;
    esac
    if [[ -n ${2-} ]]; then __ptyd_lost "$2 $__ptyd_m"; fi
    return 0
}

# PS1 ends with B, PS0 with C: as references, so that neither string holds the nonce and both are
# empty in a shell that inherits them. (With set -u it is an error to ask for the attributes of what
# is not set.)
__ptyd_prompts() {
    if ! builtin shopt -q promptvars; then
        PS1=${PS1-}; PS1=${PS1//'\[${__ptyd_B-}\]'}
        PS0=${PS0-}; PS0=${PS0//'${__ptyd_C+${__ptyd_C[0*__ptyd_ran++]}}'}
        if [[ -z ${__ptyd_v[8]} ]]; then
            __ptyd_lost 'shopt -u promptvars: its prompts expand nothing'
        fi
        return 0
    fi
    if [[ ${PS0-} == *'__ptyd_C'* ]]; then
        builtin :
    elif [[ -n ${PS0+x} || $- != *u* ]] && __ptyd_fixed "${PS0@a}"; then
        if [[ -z ${__ptyd_v[8]} ]]; then __ptyd_fixed "${PS0@a}" PS0; fi
        return 0
    else
        PS0=${PS0-}'${__ptyd_C+${__ptyd_C[0*__ptyd_ran++]}}'
    fi
    if [[ -n ${__ptyd_v[8]} ]]; then __ptyd_lost ''; fi
    if [[ ${PS1-} != *'${__ptyd_B-}'* ]] && { [[ -z ${PS1+x} ]] || ! __ptyd_fixed "${PS1@a}"; }; then
        PS1=${PS1-}'\[${__ptyd_B-}\]'
    fi
    return 0
}

# Our hooks stand around all others: O before them, so that what they print is no output, and the
# text is read there, before `history -n` brings others' lines; D and A behind them, next to the
# prompt. Who was added outside moves between. ble.sh says how a command
# ended before it runs these: there O is printed by its own hook.
__ptyd_arrange() {
    if [[ -n ${BLE_VERSION-} ]] && builtin declare -F blehook >/dev/null; then
        blehook POSTEXEC!=__ptyd_over || builtin :
    fi
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then return 0; fi
    if [[ -n ${PROMPT_COMMAND[*]+x} || $- != *u* ]] && __ptyd_fixed "${PROMPT_COMMAND[*]@a}"; then
        if [[ ${PROMPT_COMMAND[*]} != *__ptyd_hook* ]]; then __ptyd_fixed "${PROMPT_COMMAND[*]@a}" PROMPT_COMMAND; fi
        return 0
    fi
    builtin local __ptyd_i
    builtin local -a __ptyd_others
    __ptyd_others=()
    for __ptyd_i in "${PROMPT_COMMAND[@]}"; do
        # Others may have joined ours with theirs to one string.
        __ptyd_i=${__ptyd_i//"${__ptyd_v[21]}"}
        __ptyd_i=${__ptyd_i//"${__ptyd_v[22]}"}
        if [[ $__ptyd_i == *[![:space:]]* ]]; then __ptyd_others+=("$__ptyd_i"); fi
    done
    if ((${#__ptyd_others[@]})); then
        PROMPT_COMMAND=("${__ptyd_v[21]}" "${__ptyd_others[@]}" "${__ptyd_v[22]}")
    else # at a place where a later PROMPT_COMMAND=... does not overwrite it
        PROMPT_COMMAND=([7711]="${__ptyd_v[22]}")
    fi
    return 0
}

# Somebody changed prompt strings, hooks or options: ours are put right. Then the marks, as always.
# Where others' hooks ran and ours not in front of them, history may hold others' lines. Tracing is
# off meanwhile, as it may go to a file (BASH_XTRACEFD), and so is `set -u`.
__ptyd_changed() {
    if [[ -o xtrace ]]; then builtin set +x; __ptyd_v[11]=x; fi
    if [[ -o nounset ]]; then builtin set +u; __ptyd_v[11]+=u; fi
    if [[ -z $__ptyd_head ]]; then
        __ptyd_forget
        return 0
    fi
    if ((__ptyd_ran && !__ptyd_heard)) && builtin test "${PROMPT_COMMAND[*]}" != "${__ptyd_v[22]}"; then
        __ptyd_heard=1 __ptyd_text= __ptyd_new=$((${HISTCMD:-0} - __ptyd_at))
        if ((__ptyd_new < 0)); then __ptyd_new=1; fi
    fi
    __ptyd_prompts
    __ptyd_arrange
    __ptyd_ignored
    __ptyd_directory
    __ptyd_left=$-${__ptyd_v[11]}=$HISTCONTROL=$HISTIGNORE=${PROMPT_COMMAND[*]}=
    __ptyd_hook "$__ptyd_status" put-right
    if [[ $PS1 != *'${__ptyd_B-}'* ]]; then builtin printf %s "$__ptyd_B" >|/dev/tty; fi # PS1 is __ptyd_fixed
    if [[ -n ${__ptyd_v[11]} ]]; then
        builtin set -"${__ptyd_v[11]}"
        __ptyd_v[11]=
    fi
    return 0
}

# Somebody unset our variables: nothing more can be told. __ptyd_gone, which the daemon puts in front of
# this text, says so.
__ptyd_forget() {
    builtin local __ptyd_i
    __ptyd_gone
    for __ptyd_i in "${!PROMPT_COMMAND[@]}"; do
        if [[ ${PROMPT_COMMAND[__ptyd_i]} == *__ptyd_* ]]; then builtin unset "PROMPT_COMMAND[$__ptyd_i]"; fi
    done
    PS1=${PS1-}; PS1=${PS1//'\[${__ptyd_B-}\]'}
    PS0=${PS0-}; PS0=${PS0//'${__ptyd_C+${__ptyd_C[0*__ptyd_ran++]}}'}
    __ptyd_prompt() { builtin :; }
    __ptyd_ran=0
    return 0
}

# Lines that begin with a space stay out of history: they are private. Of others that do, it may be
# known that they repeat the last one.
__ptyd_ignored() {
    __ptyd_ign=0
    if [[ $HISTCONTROL == *ignore[sb]* ]]; then __ptyd_ign=1; fi
    if [[ -n $HISTIGNORE || ! -o history || $HISTSIZE == 0 ]]; then
        __ptyd_ign=";ign=$__ptyd_ign;keep=0"
    else
        __ptyd_ign=";ign=$__ptyd_ign;keep=$((__ptyd_ign + 1))"
    fi
}

# D and A say each time where they are: a mark that is lost costs no more than itself.
__ptyd_directory() {
    if [[ -z $__ptyd_head ]]; then __ptyd_forget; fi
    __ptyd_told=$PWD
    __ptyd_encode "$PWD"
    if ((${#__ptyd_v[7]} > 80)); then __ptyd_parts cwd; else __ptyd_v[7]=";cwd=${__ptyd_v[7]}"; fi
    __ptyd_room=$((200 - ${#__ptyd_v[7]}))
    __ptyd_says=$__ptyd_ign${__ptyd_v[7]}
    return 0
}

# The command's output has ended; with an argument its text is read. Not traced: BASH_XTRACEFD may
# lead to a file.
__ptyd_over() {
    if ((__ptyd_ran)); then
        if [[ -o xtrace ]]; then builtin set +x; __ptyd_v[11]=x; fi
        __ptyd_mark O
        if [[ -n ${1-} ]]; then __ptyd_read; __ptyd_heard=1; fi
    fi
    if [[ -n ${__ptyd_v[11]} ]]; then __ptyd_v[11]=; builtin set -x; fi
    return 0
}

# The same with a format for times, which the caller sets to nothing.
__ptyd_history() { { builtin history "$__ptyd_count" && builtin printf '\0'; } 1<>"$__ptyd_file"; }

# The text of the last command, as history has it now, and whether it was recorded; once. A paste of
# several commands is run without a prompt between them, and has an entry for each.
#
# The text goes through a file, because `history` can only print it, and without a fork. That is not
# truncated, which is slow: behind the NUL stands what is older. Without the file no text is told.
__ptyd_read() {
    if ((__ptyd_heard)); then
        __ptyd_heard=0
        return 0
    fi
    __ptyd_text= __ptyd_new=$((${HISTCMD:-0} - __ptyd_at))
    if ((__ptyd_new < 0)); then __ptyd_new=1; fi
    __ptyd_count=$((__ptyd_new < 2 || __ptyd_new > 200 ? 1 : __ptyd_new))
    if [[ -z ${HISTTIMEFORMAT-} ]]; then
        { builtin history "$__ptyd_count" && builtin printf '\0'; } 1<>"$__ptyd_file"
    elif [[ ${HISTTIMEFORMAT@a} == *r* ]]; then # it has the time in front
        builtin false
    else
        HISTTIMEFORMAT= __ptyd_history
    fi && builtin mapfile -d '' -n 1 -O 0 -t __ptyd_text <"$__ptyd_file" && __ptyd_text=";text=${__ptyd_text%?}"
    if ((__ptyd_ran > 1 || __ptyd_new > 1)); then __ptyd_text=";ran=$__ptyd_ran$__ptyd_text"; fi
    return 0
}

# What history printed, where it is long or holds what cannot be printed.
__ptyd_text() {
    builtin local __ptyd_cut= __ptyd_m=${__ptyd_text%%text=*}
    __ptyd_text=${__ptyd_text#*text=}
    if ((${#__ptyd_text} > 25000)); then __ptyd_text=${__ptyd_text:0:25000} __ptyd_cut=';cut=1'; fi
    __ptyd_encode "$__ptyd_text"
    if ((${#__ptyd_v[7]} > __ptyd_room)); then
        __ptyd_parts cmd
    else
        __ptyd_v[7]=";cmd=${__ptyd_v[7]}"
    fi
    __ptyd_text=${__ptyd_m%;}${__ptyd_v[7]}$__ptyd_cut
    return 0
}

# Nothing ran, with the status of a line that bash cannot parse: that is the last one in history. (Or it was
# empty, or a comment, behind a command with that status: the daemon sees which.)
__ptyd_refused() {
    builtin local __ptyd_m
    __ptyd_heard=0
    __ptyd_read
    __ptyd_m=${__ptyd_text#*[0-9][ \*]}
    __ptyd_m=${__ptyd_m#"${__ptyd_m%%[![:space:]]*}"}
    if [[ -n $__ptyd_text && $__ptyd_m == [!#]* ]]; then
        __ptyd_text
        __ptyd_mark "D;ran=0;st=2;hist=$__ptyd_new${__ptyd_text#;ran=0}"
    fi
    return 0
}

__ptyd_keep() {
    __ptyd_v[14]=$?
    __ptyd_over 1
    return "${__ptyd_v[14]}"
}

# bash 5.1 runs every element of PROMPT_COMMAND with the same $? and PIPESTATUS; older ones have
# one string, in front of which the status is kept. (What fails before an && ends no shell that
# has set -e.)
__ptyd_setup() {
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        __ptyd_arrange
    elif [[ -n ${PROMPT_COMMAND+x} || $- != *u* ]] && __ptyd_fixed "${PROMPT_COMMAND@a}" PROMPT_COMMAND; then
        builtin :
    else
        PROMPT_COMMAND=$'{ __ptyd_keep && builtin :; } 2>/dev/null\n'${PROMPT_COMMAND-}$'\n{ __ptyd_hook "${__ptyd_v[14]}"; } >/dev/null 2>&1'
    fi
    builtin export -n PROMPT_COMMAND
    if [[ -n ${__ptyd_v[11]} ]]; then __ptyd_v[11]=; builtin set -x; fi
    return 0
}
#>
if [[ -n ${__ptyd_v[12]-} ]]; then __ptyd_v[12]=; builtin set -a; fi

# The user's own files, at the top level, so that `declare` in them means what it always means.
if [[ -o posix ]]; then # it began so, and reads one file
    __ptyd_told=${ENV-}
    if [[ $__ptyd_told == *[\"\\]* || $__ptyd_told != *[\$\`]* ]]; then
        builtin :
    elif (builtin eval "__ptyd_told=\"$__ptyd_told\""); then # an error would end this file
        builtin eval "__ptyd_told=\"$__ptyd_told\""
    else
        __ptyd_told=
    fi
    if [[ -r $__ptyd_told ]]; then builtin . "$__ptyd_told"; fi
elif ((__ptyd_v[5])); then
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
if [[ $- == *r* ]]; then # restricted: each redirection is an error, and a message
    __ptyd_told='this bash is restricted (set -r) and cannot tell of its commands'
    if [[ -t 1 ]]; then builtin printf '\033]7711;%s;1;P;lost=%s\a' "${__ptyd_v[0]}" "$__ptyd_told"; fi
    builtin unset "${!__ptyd_@}"
# Where nobody else has hooks all is put as the hook wants it, so that the first prompt needs none of the above. (In $-
# comes s when bash begins to read commands.)
elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) && [[ ! -o xtrace && ! -o nounset && -z ${PROMPT_COMMAND[*]+x}${PROMPT_COMMAND@a}${PS0+x}${PS0@a}${PS1@a}$BLE_VERSION$HISTIGNORE${__ptyd_raw@P} && ${#PWD} -lt 80 && $PWD != *[%\;[:cntrl:]]* ]]; then
    PROMPT_COMMAND=([7711]="${__ptyd_v[22]}")
    PS0='${__ptyd_C+${__ptyd_C[0*__ptyd_ran++]}}'
    PS1+='\[${__ptyd_B-}\]'
    case $HISTCONTROL in
    *ignore[sb]*) __ptyd_ign=';ign=1;keep=2' ;;
    *) __ptyd_ign=';ign=0;keep=1' ;;
    esac
    __ptyd_told=$PWD __ptyd_says="$__ptyd_ign;cwd=$PWD" __ptyd_room=$((190 - ${#PWD}))
    __ptyd_left="$-s=$HISTCONTROL==${PROMPT_COMMAND[*]}="
elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    if __ptyd_later; then \__ptyd_setup; fi
else
    __ptyd_told="bash ${BASH_VERSION%%(*} is older than 4.4 and cannot tell of its commands"
    builtin printf '\033]7711;%s;1;P;lost=%s\a' "${__ptyd_v[0]}" "$__ptyd_told" >/dev/tty
    builtin unset "${!__ptyd_@}"
fi
