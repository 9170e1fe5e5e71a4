# What fish 4 prints by itself.
function begun --on-event fish_prompt
    printf '\e]133;A;click_events=1\e\\'
end
function said --on-event fish_preexec
    printf '\e]133;C;cmdline_url=%s\e\\' (string escape --style=url -- $argv | string join %0A)
end
function told --on-event fish_postexec
    printf '\e]133;D;%s\e\\' $status
end
function placed --on-variable PWD
    printf '\e]7;file://host%s\e\\' (string escape --style=url $PWD)
end
function fish_prompt
    echo -n 'here > '
    printf '\e]133;B\e\\'
end
set -g fish_greeting
