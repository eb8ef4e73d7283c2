_tenon_words() {
    local word
    local -a plain
    for word; do
        case $word in
        @model) _files -g '*.(yaml|yml|json)(-.)' ;;
        @folder) _files -/ ;;
        @file) _files ;;
        @method) plain+=($methods) ;;
        @methods) _values -s , method $methods ;;
        *) plain+=$word ;;
        esac
    done
    (( $#plain )) && compadd -a plain
}

_tenon() {
    local -a commands methods specs
    local command=$words[2] of option value list text
    while IFS='|' read -r of option value list text; do
        text=${${${${text//\\/\\\\}//\[/\\[}//\]/\\]}//:/\\:} # brackets and colons mean something
        if [[ $of == @method ]]; then
            methods=(${=list})
        elif [[ $option == '*' ]]; then
            commands+=("$of:$text")
            [[ $of == $command ]] && specs+=("*:$value: _tenon_words $list")
        elif [[ $of == $command ]]; then
            specs+=("$option${value:+=}[$text]${value:+:$value: _tenon_words $list}")
        fi
    done < <(_tenon_table)
    if (( CURRENT == 2 )); then
        _describe command commands
        compadd -- --help --version --json
        return
    fi
    shift words
    (( CURRENT-- ))
    _arguments $specs
}

_tenon "$@"
