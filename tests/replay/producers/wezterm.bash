# What WezTerm's integration, and Ghostty's, has bash print: D and A in front of the prompt, in it P;k=i and B,
# around PS2 P;k=s and B, C with no text.
told() {
    printf '\e]133;D;%s;aid=%s\a' $? $$
    printf '\e]133;A;cl=m;aid=%s\a' $$
    printf '\e]7;file://host%s\e\\' "$PWD"
}
PROMPT_COMMAND=told
PS1='\[\e]133;P;k=i\a\]here \$ \[\e]133;B\a\]'
PS2='\[\e]133;P;k=s\a\]> \[\e]133;B\a\]'
PS0='\e]133;C;\a'
