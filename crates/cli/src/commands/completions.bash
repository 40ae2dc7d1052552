# Bash breaks words at `@`, `:` and `=`: here they are joined again.
_agent_worker() {
    local -a words=()
    local rest=$COMP_LINE at word gap index=0 before=
    for at in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[at]}
        gap=${rest%%"$word"*}
        rest=${rest#*"$word"}
        [[ -z $word && $rest == [[:space:]]* ]] && gap=' '
        if ((at == COMP_CWORD)) && [[ -n $2 || $word != [@:=]* ]]; then
            word=$2
            # Before a word that may be the name of a host, bash gives `@` a second time.
            [[ ${COMP_WORDS[at]} == @* ]] || word=${2#@}
        fi
        if ((at > 0)) && [[ -z $gap && "${COMP_WORDS[at - 1]}$word" == *[@:=]* ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        ((at == COMP_CWORD)) && index=$((${#words[@]} - 1)) && before=${words[index]%"$2"}
    done
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$index
    _clap_complete_agent_worker "$1" "${words[index]}" "$3"
    # Paths are quoted by bash, and nothing else.
    local are_paths=0
    for word in "${COMPREPLY[@]}"; do
        if [[ -e ${word/#\~\//$HOME/} ]]; then
            are_paths=1
        elif [[ $word != -* ]]; then
            are_paths=0
            break
        fi
    done
    ((are_paths)) && compopt -o filenames 2>/dev/null
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
