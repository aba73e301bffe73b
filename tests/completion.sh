#!/usr/bin/env bash
# The completion scripts work in the real shells.
# Usage: tests/completion.sh DIRECTORY_OF_HELVE
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$(cd "$1" && pwd):$PATH HOME=$work XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data TERM=dumb

check() { # name, expected, actual
  [[ "$2" == "$3" ]] || { printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3"; exit 1; }
}

helve snippet_save 'two words' true >/dev/null
helve snippet_save twice true >/dev/null

in_bash() {
  bash --norc -c 'source <(helve completion bash); COMP_WORDS=(helve "$@"); COMP_CWORD=$#; _helve; echo "${COMPREPLY[*]}"' bash "$@"
}
check bash 'completion' "$(in_bash com)"
check bash 'xml' "$(in_bash prompt --format x)"
check bash '--format' "$(in_bash prompt --fo)"
check bash 'results.limit= results.limits=' "$(in_bash ls --set results.lim)"
check bash 'twice two\ words' "$(in_bash snippets show tw)"

in_fish() { fish --no-config -c "helve completion fish | source; complete -C 'helve $*'" | cut -f1 | paste -sd' '; }
check fish 'completion' "$(in_fish com)"
check fish 'xml' "$(in_fish prompt --format x)"
check fish '--format' "$(in_fish prompt --fo)"
check fish 'results.limit= results.limits=' "$(in_fish ls --set results.lim)"
check fish 'twice two words' "$(in_fish snippet_load tw)"

in_zsh() {
  zsh -f -c 'compdef() {}; _files() { print files }; _describe() { print -rl -- ${${(P)@[-1]}%%:*} }
    compadd() { print -rl -- ${(P)@[-1]} }
    source <(helve completion zsh); words=(helve "$@"); CURRENT=$#words; _helve' zsh "$@" | paste -sd' '
}
check zsh 'completion' "$(in_zsh com)"
check zsh 'xml' "$(in_zsh prompt --format x)"
check zsh '--format' "$(in_zsh prompt --fo)"
check zsh 'results.limit= results.limits=' "$(in_zsh ls --set results.lim)"
check zsh 'twice two words' "$(in_zsh snippets delete tw)"
check 'zsh without compinit' '_helve' "$(zsh -f -u -c 'source <(helve completion zsh); print $_comps[helve]' 2>&1)"
# As an installed file, which zsh loads when it is first needed.
mkdir "$work/functions"
helve completion zsh >"$work/functions/_helve"
check 'zsh from a file' 'completion' "$(zsh -f -c 'compdef() {}; _files() { print files }
  _describe() { print -rl -- ${${(P)@[-1]}%%:*} }
  fpath=('"$work"'/functions $fpath); autoload -Uz _helve; words=(helve com); CURRENT=2; _helve')"
echo "completion works in bash, fish and zsh"
