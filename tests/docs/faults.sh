#!/usr/bin/env bash
# Blocks that are wrong are found: a page with one fault of each kind, each of which has to be reported.
# Usage: tests/docs/faults.sh BUILD_DIRECTORY TRANSCRIPT_RUNNER SOURCE_DIRECTORY
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)

expected=()
fault() { # what is said of it, the line above, fence, lines…
  expected+=("$1")
  printf '%s\n' "$2" "\`\`\`$3" "${@:4}" '```' '' >>"$work/page.md"
}
fault 'exit code 3' '' sh 'false || exit 3' 'true'
fault 'unbound variable' '' sh 'echo "$nobody_set_this"'
fault 'helve: error' '' sh 'helve doctor | grep "^ok"' 'helve no_such_command 2>&1 | sed "s/^/helve: /"'
fault 'exit code 5' '<!-- then: exit 5 -->' sh 'true'
fault 'the stand-in does not know' '' sh 'claude mcp remove helve'
fault 'CalledProcessError' '' sh 'codex mcp add helve -- false'
fault 'it did not say that it serves: ' '<!-- serves -->' sh 'helve serve --no-such-flag'
fault 'exit code 4' '' zsh 'exit 4'
fault 'exit code 6' '' fish 'exit 6'
fault 'there is no make no-such-thing' '<!-- not run: a test -->' sh 'make no-such-thing'
fault 'prints: two' '<!-- printed by: echo two -->' text 'one'
fault 'has another screen' '<!-- screen: tests/terminal/guide.txt -->' text 'nothing'
fault 'a text needs a line above it' '' text 'anything'
fault 'no_such_setting' '' toml 'no_such_setting = 1'
fault 'not JSON' '' json '{'
fault 'helve mcp test nobody says' '' json '{"mcpServers": {"nobody": {"command": "false"}}}'
fault 'not JSON' '' jsonl '{}' '{'
fault 'does not compile' '' cpp 'int main() { return nothing; }'
fault 'not Python' '' python 'def'
fault 'no check for a block of "cobol"' '' cobol 'STOP RUN.'
fault '$ echo one' '' console '$ echo one' 'two'
echo '[nowhere](nowhere.md)' >>"$work/page.md"
expected+=('the link to nowhere.md leads nowhere')

if "$here/run.py" "$1" "$2" "$3" "$work/page.md" >"$work/said" 2>&1; then
  echo "a page full of faults is taken for a good one"
  exit 1
fi
for what in "${expected[@]}"; do
  grep -qF -- "$what" "$work/said" || { echo "not reported: $what"; cat "$work/said"; exit 1; }
done
complaints=$(grep -c 'page\.md:[0-9]' "$work/said")
((complaints == ${#expected[@]} - 1)) || { echo "$complaints complaints, but $((${#expected[@]} - 1)) faults"; cat "$work/said"; exit 1; }
echo "${#expected[@]} faults are found"
