#!/usr/bin/env bash
# The manual pages are what man expects, and there is one for every command and every tool.
# Usage: tests/manual.sh DIRECTORY_OF_HELVE
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$(cd "$1" && pwd):$PATH HOME=$work XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data
cd "$work"
fail() { echo "$*"; exit 1; }
show() { groff -K utf8 -man -Tutf8 -P-c -P-b -P-o -P-u -rLL=100n "$1"; }

helve man --directory "$work/man"
pages=("$work"/man/man1/* "$work"/man/man5/*)
for page in "${pages[@]}"; do
  said=$(groff -K utf8 -man -Tutf8 -ww -z "$page" 2>&1)
  [[ -z $said ]] || fail "$page: $said"
done

# Every command of the completion and every tool.
while IFS=$'\t' read -r name summary; do
  page=$work/man/man1/helve-$name.1
  [[ -f $page ]] || fail "there is no manual page for helve $name"
  text=$(show "$page" | tr -s ' \n' ' ')
  [[ $text == *"helve-$name - ${summary:0:20}"* ]] || fail "helve-$name(1) does not begin with its summary: ${text:0:200}"
  # Every flag that the help knows.
  for flag in $(helve help "$name" | sed -nE 's/^  (--[a-z-]+).*/\1/p'); do
    [[ $text == *"$flag"* ]] || fail "helve-$name(1) lacks $flag"
  done
done < <(helve completion query -- '')

[[ $(show "$work/man/man5/helve-config.5") == *results.limit* ]] || fail "helve-config(5) lacks a setting"
show "$work/man/man1/helve.1" | grep -q 'helve-init(1)' || fail "helve(1) does not name its commands"
cmp -s <(helve man grep) "$work/man/man1/helve-grep.1" || fail "helve man grep prints something else"

# On a terminal, man shows the page, or Helve does; never roff source.
on_terminal() { # with this PATH
  python3 - "$(command -v helve)" "$1" <<'EOF'
import os, pty, sys
os.environ.update(PATH=sys.argv[2], PAGER="cat", MANPAGER="cat", TERM="dumb")
pty.spawn([sys.argv[1], "man", "grep"])
EOF
}
for path in "$PATH" "$work/nothing"; do
  said=$(on_terminal "$path" </dev/null | tr -d '\r' | sed $'s/.\b//g')
  [[ $said == *--file-pattern* && $said != *'.SH '* && $said != *'\-'* ]] || fail "helve man on a terminal: ${said:0:300}"
done
said=$(helve man grp 2>&1) && fail "a page that is not there was printed"
[[ $said == *'Did you mean grep?'* ]] || fail "$said"
echo "${#pages[@]} manual pages"
