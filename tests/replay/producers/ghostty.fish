# What Ghostty's integration has fish print: A, C and D, no B, no text.
function begun --on-event fish_prompt
    printf '\e]133;A;click_events=1\a'
end
function said --on-event fish_preexec
    printf '\e]133;C\a'
end
function told --on-event fish_postexec
    printf '\e]133;D;%s\a' $status
end
function fish_prompt
    echo -n 'here > '
end
function fish_right_prompt
    echo -n RIGHT
end
set -g fish_greeting
