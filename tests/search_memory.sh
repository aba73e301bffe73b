#!/usr/bin/env bash
# A common word on two million lines, and a reader that takes its time: memory stays bounded, with both engines.
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$work/tree"
cd "$work/tree"
yes 'a line with a common word on it and some more text' | head -n 20000 >first.txt || true
for i in $(seq 100); do cp first.txt "file$i.txt"; done
rm first.txt

# The largest amount of memory that the program had at any time, in kilobytes, as the kernel counted it.
peak_of() {
  "$build/helve" "$@" >"${sink:-/dev/null}" &
  local pid=$! peak=0 now
  while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null) && [[ -n $now ]]; do
    peak=$now
    sleep 0.005
  done
  wait "$pid"
  echo "$peak"
}

limit=150000
for engine in builtin ripgrep; do
  for output in matches files count; do
    peak=$(peak_of grep common --output "$output" --max-results 10000 --set "search.engine=$engine")
    echo "$engine, $output: at most $peak KB"
    ((peak > 1000 && peak < limit)) || { echo "that is not below $limit KB" >&2; exit 1; }
  done
done
matches=$("$build/helve" grep common --output count)
[[ $matches == *'"totalMatches":2000000,'* ]] || { echo "found $matches" >&2; exit 1; }

# Nobody reads for a second: the program waits with what it has and does not collect more.
mkfifo "$work/pipe"
(sleep 1; wc -c) <"$work/pipe" >"$work/slowly" &
reader=$!
peak=$(sink=$work/pipe peak_of grep common --max-results 10000 --set results.offload=false)
wait "$reader"
slowly=$(<"$work/slowly")
((slowly > 100000)) || { echo "a slow reader got $slowly bytes" >&2; exit 1; }
((peak > 1000 && peak < limit)) || { echo "with a slow reader it took $peak KB" >&2; exit 1; }
echo "a slow reader got $slowly bytes, of at most $peak KB"
