# ptyd's integration for dash and busybox sh: interactive shells without hooks.
#
# The daemon hands this text over a pipe that ENV names, behind lines that set __ptyd_n (the nonce)
# and put ENV back. The only code that such a shell runs at a prompt are the expansions in PS1: they
# print (ptyd-marks(7)) D with $? and the directory, and A and B around the user's prompt. There is
# no C: `line=1` says that a command starts with the line feed after B (`line=2`: in a shell that
# edits lines itself), and `more=1`, in PS2, that its line goes on. All of it is empty in a shell
# that inherits PS1 without the nonce.
# What says something ends with its length, which is not true of a mark that somebody printed in the
# middle of; for that numbers have nine digits, and ${#...} says of a character of two bytes what it counts.
exec 3<&-
__ptyd_s=10000000
__ptyd_u=é
__ptyd_a=1
__ptyd_e=$(printf '\033]7711;')
__ptyd_g=$(printf '\007')
__ptyd_o=
__ptyd_c=
__ptyd_l=1
case $(readlink /proc/$$/exe 2>/dev/null) in
*busybox*) # edits lines itself and counts columns
    __ptyd_o='\['
    __ptyd_c='\]'
    __ptyd_l=2
    ;;
esac
# The shell expands what ENV says. An error in that would end this file: a subshell tries, and says it.
__ptyd_t=${ENV-}
case $__ptyd_t in
*[\"\\]*) ;;
*[\$\`]*)
    if (eval "__ptyd_t=\"$__ptyd_t\""); then
        eval "__ptyd_t=\"$__ptyd_t\""
    else
        __ptyd_t=
    fi
    ;;
esac
if [ -n "$__ptyd_t" ] && [ -r "$__ptyd_t" ]; then
    . "$__ptyd_t"
fi
# PS1 counts prompts in a variable. Under `set -a`, which would export it, nothing is assigned and D
# says 100000000: with that flag the name tested is __ptyd_a, which is 1, else one that nobody sets.
# Some busybox assigns in the branch that it does not take: there a subshell looks, which keeps $?.
__ptyd_t=0
: $((1 ? 0 : (__ptyd_t = 1)))
__ptyd_n4='$((__ptyd_a${-##*a*}?10000000:(__ptyd_s=__ptyd_s+1)))'
if [ "$__ptyd_t" = 1 ]; then
    __ptyd_n4='$(($({ __ptyd_x=$?; case $- in (*a*) \command echo 10000000;; (*) \command echo "__ptyd_s=__ptyd_s+1";; esac; exit $__ptyd_x; } 2>/dev/null)))'
fi
case $- in
*a*)
    __ptyd_t=a
    set +a
    ;;
esac
# What all begin with and end with is a variable each, so that PS1 is short: a shell parses it anew at each
# prompt. The last digit is the mark's place in it; B, which says nothing but that, needs no length.
__ptyd_b=$__ptyd_e$__ptyd_n';'
__ptyd_f=';'$__ptyd_n$__ptyd_g
PS1=$__ptyd_o'${__ptyd_n:+$__ptyd_b'$__ptyd_n4'0;D;st=$?;line=1;$((10000*${#__ptyd_u}+33+${#?}+${PWD:+${#PWD}+}0));raw=${PWD-}$__ptyd_f$__ptyd_b${__ptyd_s}1;A;line='$__ptyd_l';10018$__ptyd_f}'$__ptyd_c${PS1-'$ '}$__ptyd_o'${__ptyd_n:+$__ptyd_b${__ptyd_s}2;B$__ptyd_g}'$__ptyd_c
PS2=${PS2-'> '}$__ptyd_o'${__ptyd_n:+$__ptyd_b'$__ptyd_n4'0;P;more=1;10018$__ptyd_f}'$__ptyd_c
if [ "$__ptyd_t" = a ]; then
    set -a
fi
unset __ptyd_o __ptyd_c __ptyd_l __ptyd_t __ptyd_n4 __ptyd_e
: "$0" # what $_ is in a shell that has just begun
