#!/usr/bin/env bash
# Commands that write far more than fits into memory: counted exactly, kept whole, readable afterwards.
# usage: floods.sh DIRECTORY_OF_HELVE BYTES
set -euo pipefail
helve=$1/helve
bytes=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/workspace"
cd "$work/workspace"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
fail() { echo "floods: $*"; exit 1; }

# Helve gets a small part of what the command writes as memory; with more it would fail.
flood() { # command → the envelope in $work/answer
  (ulimit -d $((200 * 1024)); timeout 900 "$helve" call exec "{\"command\": \"$1\", \"timeoutMs\": 800000}") >"$work/answer" ||
    fail "$1: $(head -c 500 "$work/answer")"
}
number() { grep -oE "\"output\":\{\"bytes\":[0-9]+,\"lines\":[0-9]+" "$work/answer" | grep -oE '[0-9]+' | sed -n "$1p"; }
path() { grep -oE '"outputPath":"[^"]*"' "$work/answer" | cut -d'"' -f4; }
expect() { [[ $2 == "$3" ]] || fail "$1: $2 instead of $3"; }

flood "yes | head -c $bytes"
expect "bytes of yes" "$(number 1)" "$bytes"
expect "lines of yes" "$(number 2)" "$((bytes / 2))"
expect "size of the file" "$(stat -c %s "$(path)")" "$bytes"
line=$((bytes / 8))
"$helve" read "$(path)" --offset "$line" --limit 1 --plain --quiet | grep -q "^$line"$'\ty$' || fail "line $line cannot be read"
rm "$(path)"

flood "head -c $bytes /dev/zero | tr '\\\\\\\\0' a"
expect "bytes of one line" "$(number 1)" "$bytes"
expect "lines of one line" "$(number 2)" 1
expect "size of the file" "$(stat -c %s "$(path)")" "$bytes"
rm "$(path)"

flood "head -c $((bytes / 4)) /dev/urandom | tee sum.bin"
expect "bytes of noise" "$(number 1)" "$((bytes / 4))"
cmp "$(path)" sum.bin || fail "the noise was not kept as it was"
grep -q 'binary output' "$work/answer" || fail "the noise was not recognised: $(head -c 300 "$work/answer")"

# A reader that does not read delays only itself.
(timeout 60 "$helve" call exec '{"command": "seq 1000000; touch ended"}' | { sleep 1; [[ -e ended ]] || echo late; cat >/dev/null; }) | grep -q late && fail "a slow reader held up the command"
echo "floods of $bytes bytes: all there"
