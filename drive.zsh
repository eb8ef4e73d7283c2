_arguments() { print -rl -- "$@" }
_describe() { print -rl -- $commands }
compadd() { print -r -- "$@" }
words=(tenon $1 '') CURRENT=$2
. ./_tenon
