# ptyd's integration for fish 3.4 and newer.
#
# The daemon writes this text, with the nonce in it, into a private file that fish reads once
# (--init-command) and the daemon removes at the first mark: fish cannot close an inherited pipe.
# It prints marks (ptyd-marks(7)) from fish's own events: A and B at fish_prompt (and fish_cancel),
# when the terminal is already set for editing; C with the text at fish_preexec; P and D at
# fish_postexec; D alone at fish_posterror. No function of the user's is wrapped. No fork at a prompt.

#
# fish writes 512 bytes at once, and each repeat of a printf's format: what one write(2) prints has
# nothing of others in it, so a mark is one repeat, and longer texts come in parts. Each mark ends
# with its length in characters, which is not true of one that others got into all the same. Its
# number has eight digits, so that most lengths are known: the last is the kind's (0 T, 1 A, 2 B, 3 C,
# 5 D), the others rise once a prompt, without arithmetic, which would be a command substitution: the
# next of three digits is looked up, and the thousands are counted on when they come round. (Behind 9,999,999
# __ptyd_more is 1, and so on: the digits that lengths do not know of.)

# Percent-encodes $argv[2] for the field $argv[1] where it is long or holds control characters, in
# parts where it is very long: into __ptyd_field, what is told of it. Of a text of more than 25,000
# characters the rest is not told. An empty IFS keeps lines together.
function __ptyd_encode
    set -l IFS
    set -l cut
    set -l text (builtin string sub -l 25000 -- "$argv[2]")
    if not builtin test "$text" = "$argv[2]"
        set cut ';cut=1'
    end
    set text (builtin string escape --style=url -- "$text")
    set -l size (builtin string length -- "$text")
    if builtin test $size -le 380
        set -g __ptyd_field ";$argv[1]=$text"
        return
    end
    set -l count 0
    set -l at 1
    while builtin test $at -le $size
        __ptyd_step
        set -l body "T;i=$count;$argv[1]="(builtin string sub -s $at -l 380 -- "$text")
        builtin printf '\e]7711;%s;%d%03d0;%s;1%04d;%s\a' $__ptyd_nonce $__ptyd_high $__ptyd_low "$body" \
            (builtin math (builtin string length -- "$body") + 9 + $__ptyd_more) $__ptyd_nonce >/dev/tty
        set at (builtin math $at + 380)
        set count (builtin math $count + 1)
    end
    set -g __ptyd_field ";$argv[1]s="(builtin printf '%d%03d0' $__ptyd_high $__ptyd_low)"$cut"
end

function __ptyd_step
    set __ptyd_low $__ptyd_next[$__ptyd_low]
    if builtin test $__ptyd_low = 1
        __ptyd_carry
    end
end

# Where the numbers become longer what is known by length is made anew.
function __ptyd_carry
    set __ptyd_high (builtin math $__ptyd_high + 1)
    set -l more (builtin math (builtin string length -- $__ptyd_high) - 4)
    if builtin test $more != $__ptyd_more
        set __ptyd_more $more
        set __ptyd_told ''
    end
end

# A and D say each time where they are: a mark that is lost costs no more than itself.
function __ptyd_directory
    set __ptyd_told $PWD
    if builtin string match -qr '\A(?:[\x20-\x24\x26-\x3a\x3c-\x7e]{0,300}|[^%;[:cntrl:]]{0,80})\z' -- "$PWD"
        set __ptyd_cwd ";cwd=$PWD"
    else
        __ptyd_encode cwd "$PWD"
        set __ptyd_cwd $__ptyd_field
    end
    set -l size (builtin string length -- "$__ptyd_cwd")
    set __ptyd_a (builtin math 10016 + $size + $__ptyd_more)
    set __ptyd_b (builtin math 10010 + $__ptyd_more)
    set __ptyd_d (builtin math 10017 + $size + $__ptyd_more)
end

function __ptyd_on_prompt --on-event fish_prompt --on-event fish_cancel
    set __ptyd_running 0
    set __ptyd_low $__ptyd_next[$__ptyd_low]
    if builtin test $__ptyd_low = 1
        __ptyd_carry
    end
    if builtin test "$__ptyd_told" != "$PWD"
        __ptyd_directory
    end
    builtin printf '\e]7711;%s;%d%03d%s;%s\a' \
        $__ptyd_nonce $__ptyd_high $__ptyd_low "1;A;ign=1$__ptyd_cwd;$__ptyd_a" $__ptyd_nonce \
        $__ptyd_nonce $__ptyd_high $__ptyd_low "2;B;$__ptyd_b" $__ptyd_nonce >/dev/tty
end

# What is told of a line: into __ptyd_field.
function __ptyd_line
    if builtin string match -qr '\A(?:[\x20-\x24\x26-\x3a\x3c-\x7e]{0,380}|[^%;[:cntrl:]]{0,90})\z' -- "$argv[1]"
        set __ptyd_field ";cmd=$argv[1]"
    else
        __ptyd_encode cmd "$argv[1]"
    end
end

# fish tells of blank and comment lines, too: they are no commands.
function __ptyd_on_preexec --on-event fish_preexec
    if builtin string match -qr '\A(?:[ \t]*(?:#[^\n]*)?(?:\n|\z))+\z' -- "$argv[1]"
        return
    end
    __ptyd_line "$argv[1]"
    builtin printf '\e]7711;%s;%d%03d3;C%s;1%04d;%s\a' $__ptyd_nonce $__ptyd_high $__ptyd_low \
        "$__ptyd_field" (builtin string length -- "$__ptyd_high""1230;C$__ptyd_field") $__ptyd_nonce >/dev/tty
    set __ptyd_running 1
end

# A line that fish cannot parse stays where it is, to be edited.
function __ptyd_on_posterror --on-event fish_posterror
    __ptyd_line "$argv[1]"
    builtin printf '\e]7711;%s;%d%03d5;D;ran=0%s;1%04d;%s\a' $__ptyd_nonce $__ptyd_high $__ptyd_low \
        "$__ptyd_field" (builtin string length -- "$__ptyd_high""1235;D;ran=0$__ptyd_field") $__ptyd_nonce >/dev/tty
    __ptyd_step
end

function __ptyd_on_postexec --on-event fish_postexec
    set -l __ptyd_status $status
    if builtin test $__ptyd_running = 1
        set __ptyd_running 0
        if builtin test "$__ptyd_told" != "$PWD"
            __ptyd_directory
        end
        builtin printf '\e]7711;%s;%d%03d5;D;st=%03d%s;%d;%s\a' $__ptyd_nonce $__ptyd_high $__ptyd_low \
            $__ptyd_status "$__ptyd_cwd" $__ptyd_d $__ptyd_nonce >/dev/tty
    end
end

if not builtin string match -qr '^(3\.[4-9]|3\.\d\d|[4-9]|\d\d)' -- $version
    printf '\e]7711;%s;1;P;lost=fish %s is older than 3.4\a' $__ptyd_nonce $version >/dev/tty
    functions -e __ptyd_on_prompt __ptyd_on_preexec __ptyd_on_posterror __ptyd_on_postexec
end
set -gu __ptyd_high 1000
set -gu __ptyd_low 1
set -gu __ptyd_more 0
set -gu __ptyd_next (seq 2 999) 1
set -gu __ptyd_running 0
set -gu __ptyd_told ''
set -gu __ptyd_cwd ''
set -gu __ptyd_field ''
set -gu __ptyd_a 0
set -gu __ptyd_b 0
set -gu __ptyd_d 0
