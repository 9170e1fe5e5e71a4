# ptyd's integration for fish 3.4 and newer.
#
# The daemon writes this text, with the nonce in it, into a private file that fish reads once
# (--init-command) and the daemon removes at the first mark: fish cannot close an inherited pipe.
# It prints marks (ptyd-marks(7)) from fish's own events: A and B at fish_prompt (and fish_cancel),
# when the terminal is already set for editing; C with the text at fish_preexec; P and D at
# fish_postexec. No function of the user's is wrapped. No fork at a prompt.

# Prints marks. Numbers rise without arithmetic, which would be a command substitution: the next of
# three digits is looked up, and the thousands are counted on when they come round.
function __ptyd_mark
    set -l __ptyd_out
    set -l __ptyd_one
    for __ptyd_one in $argv
        set __ptyd_low $__ptyd_next[$__ptyd_low]
        if builtin test $__ptyd_low = 1
            set __ptyd_high (builtin math $__ptyd_high + 1)
        end
        set -a __ptyd_out $__ptyd_nonce $__ptyd_high $__ptyd_low "$__ptyd_one"
    end
    builtin printf '\e]7711;%s;%d%04d;%s\a' $__ptyd_out >/dev/tty
end

# Percent-encodes $argv into __ptyd_text. The common line needs nothing; of a longer one the daemon
# keeps 24 KiB. An empty IFS keeps the lines together.
function __ptyd_encode
    set -l IFS
    set -g __ptyd_text "$argv"
    if builtin test (builtin string length -- "$__ptyd_text") -gt 25000
        set __ptyd_text (builtin string sub -l 25000 -- "$__ptyd_text")
    end
    if builtin string match -qr '[%;[:cntrl:]]' -- "$__ptyd_text"
        set -l plain $__ptyd_text
        set __ptyd_text (builtin string replace -a -- '%' '%25' "$__ptyd_text")
        set __ptyd_text (builtin string replace -a -- ';' '%3B' "$__ptyd_text")
        set __ptyd_text (builtin string replace -a -- \n '%0A' "$__ptyd_text")
        set __ptyd_text (builtin string replace -a -- \t '%09' "$__ptyd_text")
        if builtin string match -qr '[[:cntrl:]]' -- "$__ptyd_text"
            set __ptyd_text (builtin string escape --style=url -- "$plain")
        end
    end
end

function __ptyd_on_prompt --on-event fish_prompt --on-event fish_cancel
    set __ptyd_running 0
    if builtin test "$__ptyd_told" = "$PWD"
        __ptyd_mark 'A;ign=1' B
    else
        set __ptyd_told $PWD
        __ptyd_encode $PWD
        __ptyd_mark 'A;ign=1' "P;cwd=$__ptyd_text" B
    end
end

# fish tells of blank and comment lines, too: they are no commands.
function __ptyd_on_preexec --on-event fish_preexec
    if builtin string match -qr '\A(?:[ \t]*(?:#[^\n]*)?(?:\n|\z))+\z' -- "$argv[1]"
        return
    end
    __ptyd_encode $argv[1]
    __ptyd_mark "C;cmd=$__ptyd_text"
    set __ptyd_running 1
end

function __ptyd_on_postexec --on-event fish_postexec
    set -l __ptyd_status $status
    if builtin test $__ptyd_running = 1
        set __ptyd_running 0
        if builtin test "$__ptyd_told" = "$PWD"
            __ptyd_mark "D;st=$__ptyd_status"
        else
            set __ptyd_told $PWD
            __ptyd_encode $PWD
            __ptyd_mark "P;cwd=$__ptyd_text" "D;st=$__ptyd_status"
        end
    end
end

if not builtin string match -qr '^(3\.[4-9]|3\.\d\d|[4-9]|\d\d)' -- $version
    printf '\e]7711;%s;1;P;lost=fish %s is older than 3.4\a' $__ptyd_nonce $version >/dev/tty
    functions -e __ptyd_on_prompt __ptyd_on_preexec __ptyd_on_postexec
end
set -gu __ptyd_high 1
set -gu __ptyd_low 1
set -gu __ptyd_next (seq 2 1000) 1
set -gu __ptyd_running 0
set -gu __ptyd_told ''
set -gu __ptyd_text ''
