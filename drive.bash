cd files && . ../completion.bash
COMP_WORDS=(tenon new s)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_tenon
printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
