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
#           PROMPT_EOL_MARK, 9 what we made of it, 10 the number behind which they get another
#           digit, 11 how many bytes __ptyd_cwd has, 12 digits that they have more than seven, 13
#           PROMPT_EOL_MARK is read-only, 14 the line that was read, until it runs.
# A number in a mark is 2 and a digit: 1 in D, 2 in A, 3 in B, 4 in C, 5 in O, else 0.
# What is read more than once at a prompt is in arrays of one element (an index costs ten times that):
# __ptyd_head, __ptyd_tail what every mark begins and ends with, __ptyd_cwd what D and A say of the
# directory; and in __ptyd_A: A behind its number, without and with ign=1.
# Marks go to the terminal, wherever the user's output goes. Where that goes there, too, nothing is
# redirected: zsh would move descriptor 1 above 9, and not find it again where `ulimit -n` forbids
# that; a restricted one refuses.
# One `print` is one write(2), which has nothing of others in it; texts of more than 1,900 bytes come in
# parts, because the kernel takes 2,048 at once. Each mark ends with its length, in bytes, which is
# not true of one that others got into all the same, but for B, which says nothing else; numbers have as many digits always, so that most lengths
# are known; at the first prompt behind 9,999,900 that is one more.
# Arrays are never exported, whatever `setopt allexport` says. Options are the user's: every
# function begins with `emulate -L`, which leaves them so, and traps with them (LOCAL_TRAPS). That resets
# no FORCE_FLOAT, with which a number is none.
# A call costs as much as ten tests: what happens at every prompt is not in functions of its own.
exec 3<&-
builtin typeset -ga __ptyd_head __ptyd_tail __ptyd_cwd __ptyd_A
__ptyd_v[2]=1000000
__ptyd_v[10]=9999900
__ptyd_v[9]=- # none yet
__ptyd_v[13]=0
__ptyd_v[11]=0
__ptyd_v[12]=0
__ptyd_head=($'\e]7711;'"${__ptyd_v[1]};")
__ptyd_tail=(";${__ptyd_v[1]}"$'\a')
__ptyd_cwd=('')
__ptyd_A=(";A;ign=0;20016$__ptyd_tail" ";A;ign=1;20016$__ptyd_tail")

# Percent-encodes __ptyd_v[6], byte by byte: for what holds a %, a ; or a control character, or is
# long. The daemon keeps 24 KiB of a mark; more than that is not worth the work.
__ptyd_encode() {
    emulate -L zsh -o extended_glob -o no_multibyte +x
    builtin local MATCH MBEGIN MEND
    __ptyd_v[6]=${${__ptyd_v[6][1,25000]}//(#m)[%;[:cntrl:]]/%${(l:2::0:)$(( [##16] #MATCH ))}}
}

# Prints a mark where that costs no prompt anything; who does it at each has the same line.
__ptyd_print() {
    if [[ /dev/fd/1 -ef $TTY ]] { builtin print -rn -- "$1" } else { builtin print -rn -- "$1" >|/dev/tty }
}

# Prints __ptyd_v[6] in parts, and says in it the last one's number: for the field $1.
__ptyd_parts() {
    emulate -L zsh -o no_multibyte +x
    builtin local part
    builtin integer i=1 n=0
    for (( ; i <= ${#__ptyd_v[6]}; i += 1900 )); do
        part="$((++__ptyd_v[2]))0;T;i=$((n++));$1=${__ptyd_v[6][i,i+1899]}"
        __ptyd_print "$__ptyd_head$part;$((20000 + ${#part}))$__ptyd_tail"
    done
    __ptyd_v[6]=";${1}s=${__ptyd_v[2]}0"
}

# The next numbers are longer by a digit; what is known by length is made anew.
__ptyd_widen() {
    emulate -L zsh -o no_force_float +x
    __ptyd_v[2]=$((__ptyd_v[10] + 100))
    __ptyd_v[10]=$((10 * __ptyd_v[2] - 100))
    __ptyd_v[12]=$((__ptyd_v[12] + 1))
    __ptyd_v[3]=
}

# Somebody unset our variables (`unset -m`): nothing more can be told. __ptyd_gone, which the daemon puts in
# front of this text, says so.
__ptyd_forget() {
    __ptyd_gone
    precmd_functions=(${precmd_functions:#__ptyd_precmd})
    preexec_functions=(${preexec_functions:#__ptyd_preexec})
    zshaddhistory_functions=(${zshaddhistory_functions:#__ptyd_accept})
    if [[ ${widgets[zle-line-init]-} == user:__ptyd_line_init ]] { builtin zle -D zle-line-init }
    if (( ${+widgets[__ptyd_next_line_init]} )) { builtin zle -A __ptyd_next_line_init zle-line-init }
    builtin unset PROMPT_EOL_MARK
    return 1
}

# D and A say each time where they are: a mark that is lost costs no more than itself.
__ptyd_directory() {
    emulate -L zsh -o no_multibyte +x
    if (( ! ${+__ptyd_head} )) {
        __ptyd_forget
        return 1
    }
    __ptyd_v[3]=$PWD
    __ptyd_v[6]=$PWD
    __ptyd_encode
    if [[ ${#__ptyd_v[6]} -gt 800 ]] { __ptyd_parts cwd } else { __ptyd_v[6]=";cwd=${__ptyd_v[6]}" }
    __ptyd_cwd=("${__ptyd_v[6]}")
    __ptyd_v[11]=${#__ptyd_v[6]}
    __ptyd_v[6]="$__ptyd_cwd;$((20016 + __ptyd_v[11] + __ptyd_v[12]))$__ptyd_tail"
    __ptyd_A=(";A;ign=0${__ptyd_v[6]}" ";A;ign=1${__ptyd_v[6]}")
}

# The sign for a missing newline is the user's again, or still; where it is read-only it stays so.
__ptyd_end_sign() {
    if [[ ${(t)PROMPT_EOL_MARK} == *readonly* ]]; then
        __ptyd_v[13]=1
        return 0
    fi
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

# A line was read and nothing ran: zsh could not parse it. (Or it is blank, a comment, or was given up.)
__ptyd_refused() {
    emulate -L zsh -o extended_glob -o no_multibyte +x
    __ptyd_v[6]=${__ptyd_v[14]%$'\n'}
    if [[ ${__ptyd_v[6]} == [[:space:]]#(|\#*) ]] { return 0 }
    __ptyd_text
    __ptyd_v[6]="$((++__ptyd_v[2]))0;D;ran=0;st=$__ptyd_status${__ptyd_v[6]}"
    __ptyd_print "$__ptyd_head${__ptyd_v[6]};$((20000 + ${#__ptyd_v[6]}))$__ptyd_tail"
}

__ptyd_precmd() {
    builtin local __ptyd_status="$?" __ptyd_last="$_" __ptyd_ignores=1 __ptyd_marks
    if [[ -o hist_ignore_space ]] { __ptyd_ignores=2 }
    emulate -L zsh -o no_force_float +x
    builtin trap - DEBUG
    if (( __ptyd_v[2] > __ptyd_v[10] )) { __ptyd_widen }
    if [[ ${__ptyd_v[3]} != "$PWD" ]] { __ptyd_directory || return 0 }
    if (( __ptyd_v[4] )); then
        __ptyd_marks="$__ptyd_head$((++__ptyd_v[2]))1;D;st=$__ptyd_status$__ptyd_cwd;$((20014 + ${#__ptyd_status} + __ptyd_v[11] + __ptyd_v[12]))$__ptyd_tail$__ptyd_head${__ptyd_v[2]}2${__ptyd_A[__ptyd_ignores]}"
        __ptyd_v[4]=0
    else
        if [[ -n ${__ptyd_v[14]-} && $__ptyd_status != 0 ]] { __ptyd_refused }
        __ptyd_marks="$__ptyd_head$((++__ptyd_v[2]))2${__ptyd_A[__ptyd_ignores]}"
    fi
    __ptyd_v[14]=
    if [[ ${precmd_functions[1]-} != __ptyd_precmd || ${preexec_functions[-1]-} != __ptyd_preexec ]]; then
        __ptyd_arrange
    fi
    if (( ! __ptyd_v[5] )) { __ptyd_widget }
    __ptyd_v[5]=0
    if [[ ! -o zle ]] { __ptyd_marks+="$__ptyd_head$((++__ptyd_v[2]))3;B"$'\a' }
    if [[ /dev/fd/1 -ef $TTY ]] { builtin print -rn -- "$__ptyd_marks" } else { builtin print -rn -- "$__ptyd_marks" >|/dev/tty }
    : "$__ptyd_last"
}

# Only at the first line of a command, as CONTEXT says; not in vared, select or a continuation. Where
# somebody emptied precmd_functions, D and A have not come yet: they come here.
__ptyd_line_init() {
    builtin local __ptyd_status="$?" __ptyd_ignores=1 __ptyd_marks=
    if [[ -o hist_ignore_space ]] { __ptyd_ignores=2 }
    emulate -L zsh -o no_force_float +x
    builtin trap - DEBUG
    if (( __ptyd_v[7] )); then
        return 0
    fi
    __ptyd_v[7]=1
    {
        if [[ ${CONTEXT-} == start ]]; then
            if [[ ${__ptyd_v[3]} != "$PWD" ]]; then
                __ptyd_directory
                __ptyd_marks+="$__ptyd_head$((++__ptyd_v[2]))0;P$__ptyd_cwd;$((20010 + __ptyd_v[11] + __ptyd_v[12]))$__ptyd_tail"
            fi
            if (( __ptyd_v[4] )); then
                __ptyd_v[4]=0
                __ptyd_marks+="$__ptyd_head$((++__ptyd_v[2]))1;D;st=$__ptyd_status;$((20014 + ${#__ptyd_status} + __ptyd_v[12]))$__ptyd_tail"
                __ptyd_marks+="$__ptyd_head${__ptyd_v[2]}2${__ptyd_A[__ptyd_ignores]}"
            fi
            __ptyd_marks+="$__ptyd_head$((++__ptyd_v[2]))3;B"$'\a'
            if [[ /dev/fd/1 -ef $TTY ]] { builtin print -rn -- "$__ptyd_marks" } else { builtin print -rn -- "$__ptyd_marks" >|/dev/tty }
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

# A text that is long or has to be encoded.
__ptyd_text() {
    emulate -L zsh -o no_multibyte +x
    builtin local cut=
    if [[ ${#__ptyd_v[6]} -gt 25000 ]] { cut=';cut=1' }
    __ptyd_encode
    if [[ ${#__ptyd_v[6]} -gt 1900 ]] { __ptyd_parts cmd } else { __ptyd_v[6]=";cmd=${__ptyd_v[6]}" }
    __ptyd_v[6]+=$cut
}

__ptyd_preexec() {
    builtin local __ptyd_last="$_" __ptyd_told="${1:-${3-}}"
    emulate -L zsh -o no_multibyte -o no_force_float +x
    builtin trap - DEBUG
    if (( ! __ptyd_v[4] )); then
        if [[ $__ptyd_told == *[%\;[:cntrl:]]* || ${#__ptyd_told} -gt 1900 ]] {
            __ptyd_v[6]=$__ptyd_told
            __ptyd_text
            __ptyd_told=${__ptyd_v[6]}
        } elif [[ -n $__ptyd_told ]] {
            __ptyd_told=";cmd=$__ptyd_told"
        }
        __ptyd_told="$__ptyd_head${__ptyd_v[2]}4;C$__ptyd_told;$((20010 + ${#__ptyd_told} + __ptyd_v[12]))$__ptyd_tail"
        if [[ /dev/fd/1 -ef $TTY ]] { builtin print -rn -- "$__ptyd_told" } else { builtin print -rn -- "$__ptyd_told" >|/dev/tty }
        # The mark that output has ended goes in front of the sign for a missing newline. An array of
        # one element: zsh reads it like a string and `export` cannot put it into an environment.
        if [[ ${PROMPT_EOL_MARK-unset} != "${__ptyd_v[9]}" ]] { __ptyd_end_sign }
        if (( ! __ptyd_v[13] )); then
            __ptyd_v[9]="%{$__ptyd_head${__ptyd_v[2]}5;O;$((20010 + __ptyd_v[12]))$__ptyd_tail%}${__ptyd_v[8]}"
            PROMPT_EOL_MARK=("${__ptyd_v[9]}")
        fi
    fi
    __ptyd_v[4]=1
    : "$__ptyd_last"
}

# Start-up files may have thrown away every hook but this one, which runs before preexec.
__ptyd_accept() {
    emulate -L zsh -o no_force_float +x
    builtin trap - DEBUG
    __ptyd_v[14]=$1
    if [[ ${precmd_functions[(r)__ptyd_precmd]-} != __ptyd_precmd ]]; then
        __ptyd_arrange
        __ptyd_widget
        __ptyd_print "$__ptyd_head$((++__ptyd_v[2]))2;A;$((20010 + __ptyd_v[12]))$__ptyd_tail"
    fi
    return 0
}

if [[ -o interactive && ( ${ZSH_VERSION%%.*} -gt 5 || $ZSH_VERSION == 5.(<3->|<3->.*) ) ]]; then
    __ptyd_arrange
    zshaddhistory_functions+=(__ptyd_accept)
elif [[ -o interactive ]]; then
    builtin print -n "\033]7711;${__ptyd_v[1]};1;P;lost=zsh $ZSH_VERSION is older than 5.3\a" >/dev/tty
    builtin unset __ptyd_v __ptyd_head __ptyd_tail __ptyd_cwd __ptyd_A
fi

# The user's own file, at the top level, so that `typeset` in it means what it always means.
if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
    builtin source "${ZDOTDIR:-$HOME}/.zshenv"
fi
