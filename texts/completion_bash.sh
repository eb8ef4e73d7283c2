# Folders, and files with one of the endings ('' for any).
_tenon_files()
{
    local current=$1 ending name
    shift
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do COMPREPLY+=("$name"); done < <(
        compgen -d -- "$current"
        for ending; do
            compgen -f -X "!*${ending:+.}$ending" -- "$current" |
                while IFS= read -r name; do
                    [[ -d $name ]] || printf '%s\n' "$name"
                done
        done
    )
}

_tenon()
{
    local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
    local commands= methods= options= words= values= is_value= before= kind
    local of option value list text
    COMPREPLY=()
    if [[ $current == '=' ]]; then # --step=0.1 is three words
        current=
    elif [[ $last == '=' ]]; then
        last=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    [[ $last == -o ]] && last=--out
    while IFS='|' read -r of option value list text; do
        if [[ $of == @method ]]; then
            methods=$list
        elif [[ $option == '*' ]]; then
            commands+="$of "
            [[ $of == "${COMP_WORDS[1]}" ]] && words=$list
        elif [[ $of == "${COMP_WORDS[1]}" ]]; then
            options+="$option "
            [[ $option == "$last" && -n $value ]] && is_value=yes values=$list
        fi
    done < <(_tenon_table)
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$commands--help --version --json" -- "$current"))
        return
    fi
    [[ -n $options ]] || return
    if [[ -n $is_value ]]; then
        words=$values
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        return
    fi
    for kind in $words; do
        case $kind in
        @model) _tenon_files "$current" yaml yml json ;;
        @folder) _tenon_files "$current" h5 ;;
        @file) _tenon_files "$current" '' ;;
        @method) COMPREPLY+=($(compgen -W "$methods" -- "$current")) ;;
        @methods)
            [[ $current == *,* ]] && before=${current%,*},
            COMPREPLY+=($(compgen -P "$before" -W "$methods" -- "${current##*,}"))
            ;;
        *) COMPREPLY+=($(compgen -W "$kind" -- "$current")) ;;
        esac
    done
}
complete -F _tenon tenon
