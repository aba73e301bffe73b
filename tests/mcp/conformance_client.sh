#!/usr/bin/env bash
# Runs the client scenarios of the MCP conformance suite against the gateway, both sets of requirements, and
# prints what passed of each. Fails when anything that counts does.
#   tests/mcp/conformance_client.sh CLIENT NODE SUITE   the program, a Node of 22 or newer, the suite's index.js
set -euo pipefail
client=$1 node=$2 suite=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_STATE_HOME=$work XDG_CONFIG_HOME=$work

code=0
for revision in 2025-11-25 2026-07-28; do
  log=$work/$revision.log
  timeout 600 "$node" "$suite" client --command "$client" --requirements "$revision" -o "$work/$revision" >"$log" 2>&1 || true
  # Extensions are run and reported too, but do not count.
  unscored=$(sed -n '/^Not scored/,$p' "$log" | grep -oE '^  [✓✗] [^ ]+' | awk '{print $2}' || true)
  total=0 passed=0
  while read -r mark name; do
    if grep -qxF "$name" <<<"$unscored"; then continue; fi
    total=$((total + 1))
    if [[ $mark == ✓ ]]; then passed=$((passed + 1)); else echo "failed: $name ($revision)"; fi
  done < <(sed -n '/SUITE SUMMARY/,/^Total/p' "$log" | grep -oE '^[✓✗] [^ :]+' || true)
  printf '%-28s %s/%s scenarios\n' "client --requirements $revision" "$passed" "$total"
  if ((total == 0 || passed != total)); then
    tail -n 40 "$log"
    code=1
  fi
done
exit $code
