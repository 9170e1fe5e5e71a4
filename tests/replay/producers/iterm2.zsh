# What iTerm2's integration, and others that tell no text, have zsh print; with a right prompt.
preexec() { print -n '\e]133;C;\a' }
precmd() { print -n "\e]133;D;$?;aid=$$\a\e]1337;RemoteHost=me@host\a\e]1337;CurrentDir=$PWD\a" }
PS1=$'%{\e]133;A;aid=1\a%}here %% %{\e]133;B\a%}'
PS2=$'%{\e]133;A;k=s\a%}> %{\e]133;B\a%}'
RPROMPT='%? RIGHT'
