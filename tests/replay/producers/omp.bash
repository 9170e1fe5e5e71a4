# What oh-my-posh has bash print: D and A in front of its prompt, B behind it, all in PS1; C with no text from PS0,
# and nothing around PS2.
primary() { printf '\e]133;D;%s\a\e]133;A\a\e[36mhere\e[0m > \e]133;B\a' "$1"; }
PROMPT_COMMAND='PS1="\[\$(primary $?)\]"'
PS2='> '
PS0='$(printf "\e]133;C\a")'
