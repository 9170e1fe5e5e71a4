# What VS Code's integration has fish print: a raw ; between the lines of a command, a bare D for a line
# that ran nothing.
function escaped
    echo $argv | string replace --all '\\' '\\\\' | string replace --all ';' '\\x3b'
end
function esc
    printf '\e]633;%s\a' (string join ';' -- $argv)
end
function said --on-event fish_preexec
    esc E (escaped "$argv") 0badcafe-1234-4321-8888-00ff00ff00ff
    esc C
    set -g ran
end
function told --on-event fish_postexec
    esc D $status
end
function cleared --on-event fish_cancel
    esc D
end
function placed --on-event fish_prompt
    esc P Cwd=(escaped "$PWD")
    if set -q ran
        set -e ran
    else
        esc D
    end
end
function fish_prompt
    esc A
    echo -n 'here > '
    esc B
end
set -g fish_greeting
