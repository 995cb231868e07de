// SPDX-License-Identifier: Apache-2.0
//
// What a shell does of the completion: it cuts the line into words, asks the program, and shows
// what that says. Nothing of it knows a command or an option.
#include "platform/control/completion.h"

namespace ssdvp::platform {
namespace {

constexpr const char* bash_script = R"(# bash completion of ssdvp, by `ssdvp show --completion bash`
_ssdvp()
{
    local whole= piece=${COMP_WORDS[COMP_CWORD]} words=() lines=() line text i
    # To bash "=" and ":" are words of their own: what was written as one word becomes one again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        if [[ ${#words[@]} -gt 0 && (${COMP_WORDS[i]} == [=:]* || $whole == *[=:]) ]]; then
            whole+=${COMP_WORDS[i]}
            words[${#words[@]} - 1]=$whole
        else
            whole=${COMP_WORDS[i]}
            words+=("$whole")
        fi
    done
    [[ $piece != [=:]* ]] || piece=
    local before=${whole%"$piece"} # of the word, what bash leaves as it is
    mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" complete "${words[@]}" 2>/dev/null)
    COMPREPLY=()
    for line in "${lines[@]:1}"; do
        text=${line%%$'\t'*}
        COMPREPLY+=("${text#"$before"}")
        [[ $text != *[=./] ]] || compopt -o nospace 2>/dev/null
    done
    case ${lines[0]-} in
        files) mapfile -t lines < <(compgen -f -- "$piece") ;;
        folders) mapfile -t lines < <(compgen -d -- "$piece") ;;
        *) return 0 ;;
    esac
    COMPREPLY+=("${lines[@]}")
    compopt -o filenames 2>/dev/null
    return 0
}
complete -F _ssdvp ssdvp
)";

constexpr const char* zsh_script = R"(#compdef ssdvp
# zsh completion of ssdvp, by `ssdvp show --completion zsh`
_ssdvp()
{
    local line text also
    local -a lines whole whole_shown part part_shown
    lines=("${(@f)$(${(Q)words[1]} complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    also=${lines[1]}
    for line in "${(@)lines[2,-1]}"; do
        text=${line%%$'\t'*}
        if [[ $text == *[=./] ]]; then
            part+=("$text") part_shown+=("${line/$'\t'/  }")
        else
            whole+=("$text") whole_shown+=("${line/$'\t'/  }")
        fi
    done
    (( ! $#whole )) || compadd -l -d whole_shown -a whole
    (( ! $#part )) || compadd -l -S '' -d part_shown -a part
    case $also in
        files) _files ;;
        folders) _files -/ ;;
    esac
}
if [ "$funcstack[1]" = _ssdvp ]; then
    _ssdvp "$@"
else
    compdef _ssdvp ssdvp
fi
)";

} // namespace

std::string completion_script(const std::string& shell)
{
    return shell == "zsh" ? zsh_script : bash_script;
}

} // namespace ssdvp::platform
