#!/usr/bin/env bash
# Kills the program with SIGKILL at every system call of a change: afterwards each file is old or new, all files of one
# change agree, the next start recovers, nothing is left over, and undo works. Prints the number of points tried.
# Usage: tests/kill_points.sh DIRECTORY_OF_HELVE [write | create | edit | multi_edit | apply_patch | undo]
set -euo pipefail
export PATH=$(cd "$1" && pwd):$PATH
wanted=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config HELVE_LOG_LEVEL=error

fail() { echo "kill_points: $*"; exit 1; }

# Starts from the same state before every try: workspace in $work/w, state in $work/s.
reset() {
  rm -rf "$work/w" "$work/s"
  cp -a "$work/before" "$work/w"
  cp -a "$work/state_before" "$work/s"
}
snapshot() { (cd "$1" && find . -printf '%P %y %m\n' | sort; find . -type f -print0 | sort -z | xargs -0r sha256sum); }

points=0
try_all() { # name, tool, arguments
  local name=$1 tool=$2 arguments=$3
  cd "$work"
  reset
  XDG_STATE_HOME=$work/s strace -f -o "$work/trace" helve --workspace "$work/w" call "$tool" "$arguments" >"$work/answer"
  grep -q '"ok":true' "$work/answer" || fail "$name does not even work: $(cat "$work/answer")"
  local old new now
  old=$(snapshot "$work/before")
  new=$(snapshot "$work/w")
  [[ "$old" != "$new" ]] || fail "$name changes nothing"

  # Every call of every kind, from the one that opens the workspace on: before it nothing has happened yet.
  local list
  list=$(sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$work/trace" |
    grep -vE '^(execve|exit_group|exit|brk|mmap|munmap|mprotect|futex|clone3|restart_syscall|rt_sig.*)$' |
    awk '$1 == "openat2" { begun = 1 } { total[$1]++; if (!begun) before[$1]++ }
         END { for (call in total) if (total[call] > before[call]) print before[call] + 1, total[call], call }')
  local first last call n
  while read -r first last call; do
    for ((n = first; n <= last; n++)); do
      reset
      (
        XDG_STATE_HOME=$work/s strace -f -o /dev/null -e inject="$call":signal=SIGKILL:when=$n \
          helve --workspace "$work/w" call "$tool" "$arguments" || true
      ) >/dev/null 2>&1
      XDG_STATE_HOME=$work/s helve --workspace "$work/w" call history '{}' >"$work/history" || fail "$name, $call $n: no start after the kill: $(cat "$work/history")"
      now=$(snapshot "$work/w")
      if [[ "$now" == "$new" ]]; then
        XDG_STATE_HOME=$work/s helve --workspace "$work/w" call "${undo_tool:-undo}" "${undo_arguments:-"{}"}" >"$work/undone" || fail "$name, $call $n: new, but cannot be undone: $(cat "$work/undone")"
        [[ "$(snapshot "$work/w")" == "$old" ]] || fail "$name, $call $n: undo does not give the old state back"
      elif [[ "$now" != "$old" ]]; then
        diff <(echo "$old") <(echo "$now") || true
        fail "$name, $call $n: neither old nor new"
      fi
      points=$((points + 1))
    done
  done <<<"$list"
}

mkdir -p "$work/before/dir" "$work/state_before"
printf 'one\ntwo\nthree\n' >"$work/before/a.txt"
printf 'bye\n' >"$work/before/gone.txt"
printf 'same\nx\n' >"$work/before/dir/old.txt"
chmod 750 "$work/before/dir/old.txt"

is_wanted() { [[ -z $wanted || $wanted == "$1" ]]; }

patch='--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n--- /dev/null\n+++ b/n/new.txt\n@@ -0,0 +1 @@\n+new\ndiff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\ndiff --git a/dir/old.txt b/dir/moved.txt\nrename from dir/old.txt\nrename to dir/moved.txt\n--- a/dir/old.txt\n+++ b/dir/moved.txt\n@@ -1,2 +1,2 @@\n same\n-x\n+y\n'
is_wanted write && try_all write write '{"path": "a.txt", "content": "1\n2\n"}'
is_wanted create && try_all create write '{"path": "new/deep/b.txt", "content": "x"}'
is_wanted edit && try_all edit edit '{"path": "a.txt", "oldText": "two", "newText": "2"}'
is_wanted multi_edit && try_all multi_edit multi_edit '{"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}, {"oldText": "one", "newText": "1"}]}'
is_wanted apply_patch && try_all apply_patch apply_patch "{\"patch\": \"$patch\"}"

if is_wanted undo; then
  # Undo itself: its old state is the patched one, and redo repeats the patch.
  reset
  XDG_STATE_HOME=$work/s helve --workspace "$work/w" call apply_patch "{\"patch\": \"$patch\"}" >/dev/null
  rm -rf "$work/before" "$work/state_before"
  mv "$work/w" "$work/before"
  mv "$work/s" "$work/state_before"
  # The history belongs to a place, so the copy has to be there again.
  undo_tool=history undo_arguments='{"action": "redo"}' try_all undo undo '{}'
fi

((points > 0)) || fail "there is no case $wanted"
echo "$points kill points tried, each left the old or the new state"
