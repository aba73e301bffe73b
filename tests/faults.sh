#!/usr/bin/env bash
# Makes system calls fail during a change, fills the disk, takes away write access: a clear error, the old content whole,
# nothing left over, never a false success. Prints the number of faults tried.
# Usage: tests/faults.sh DIRECTORY_OF_HELVE
set -euo pipefail
export PATH=$(cd "$1" && pwd):$PATH
work=$(mktemp -d)
trap 'umount "$work/full" 2>/dev/null || true; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config HELVE_LOG_LEVEL=error

fail() { echo "faults: $*"; exit 1; }
mkdir -p "$work/before"
printf 'one\ntwo\nthree\n' >"$work/before/a.txt"
reset() { rm -rf "$work/w" "$work/s"; cp -a "$work/before" "$work/w"; }

tried=0 refused=0
check() { # what: looks at $work/answer and the workspace
  local now
  now=$(cat "$work/w/a.txt")
  if grep -q '"ok":true' "$work/answer"; then
    [[ $now == $'one\n2\nthree' ]] || fail "$1: reported success, but the file says: $now"
  elif [[ ! -s $work/answer ]]; then
    # Not even the answer could be given.
    [[ $now == $'one\n2\nthree' || $now == $'one\ntwo\nthree' ]] || fail "$1: neither old nor new: $now"
  else
    refused=$((refused + 1))
    if ! grep -q '"code":"OUTCOME_UNKNOWN"' "$work/answer"; then
      [[ $now == $'one\ntwo\nthree' ]] || fail "$1: reported failure, but the file was changed: $(cat "$work/answer")"
    fi
    grep -qE '"message":"[^"]{10,}' "$work/answer" || fail "$1: no clear error: $(cat "$work/answer")"
  fi
  XDG_STATE_HOME=$work/s helve --workspace "$work/w" call history '{}' >/dev/null || fail "$1: no start afterwards"
  # When not even removing works, the answer has to say what is left.
  for name in $(ls -A "$work/w"); do
    [[ $name == a.txt ]] || grep -qF "$name" "$work/answer" || fail "$1: left over and not reported: $name"
  done
  tried=$((tried + 1))
}

# Every call that works on files, once with each error.
reset
XDG_STATE_HOME=$work/s strace -f -o "$work/trace" helve --workspace "$work/w" call edit '{"path": "a.txt", "oldText": "two", "newText": "2"}' >/dev/null
counts=$(sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$work/trace" |
  grep -xE 'p?read(64|v)?|p?write(64|v)?|pwritev|fsync|fdatasync|renameat2?|rename|linkat|openat2?|open|fchmod|fchown|ftruncate|unlinkat|mkdir(at)?|flock|newfstatat|fstat|statx|getdents64|fcntl|fsetxattr|flistxattr' | sort | uniq -c)
while read -r count call; do
  for error in EIO ENOSPC; do
    for ((n = 1; n <= count; n++)); do
      reset
      XDG_STATE_HOME=$work/s timeout 20 strace -f -o /dev/null -e inject="$call":error=$error:when=$n \
        helve --workspace "$work/w" call edit '{"path": "a.txt", "oldText": "two", "newText": "2"}' >"$work/answer" 2>/dev/null || true
      check "$call $n, $error"
    done
  done
done <<<"$counts"
echo "$tried injected faults, $refused of them refused with an error"

# A full disk, where file systems can be mounted.
mkdir "$work/full"
if mount -t tmpfs -o size=64k tmpfs "$work/full" 2>/dev/null; then
  head -c 20000 /dev/zero | tr '\0' 'x' >"$work/full/a.txt"
  printf '\nneedle\n' >>"$work/full/a.txt"
  before=$(sha256sum <"$work/full/a.txt")
  big=$(head -c 60000 /dev/zero | tr '\0' 'y')
  XDG_STATE_HOME=$work/s helve --workspace "$work/full" call edit "{\"path\": \"a.txt\", \"oldText\": \"needle\", \"newText\": \"$big\"}" >"$work/answer" && fail "a full disk was not noticed"
  grep -q 'full' "$work/answer" || fail "the error does not say that the disk is full: $(cat "$work/answer")"
  [[ $(sha256sum <"$work/full/a.txt") == "$before" ]] || fail "a full disk changed the file"
  [[ $(ls -A "$work/full") == a.txt ]] || fail "a full disk left something over: $(ls -A "$work/full")"
  mount -o remount,ro "$work/full"
  XDG_STATE_HOME=$work/s helve --workspace "$work/full" call edit '{"path": "a.txt", "oldText": "needle", "newText": "x"}' >"$work/answer" && fail "a read-only file system was not noticed"
  grep -q 'read-only' "$work/answer" || fail "the error does not say that it is read-only: $(cat "$work/answer")"
  echo "full and read-only file systems are reported and change nothing"
  mkdir "$work/inodes"
  mount -t tmpfs -o nr_inodes=8 tmpfs "$work/inodes"
  for name in a b c d e f g h; do touch "$work/inodes/$name" 2>/dev/null || true; done
  ran=$(XDG_STATE_HOME=$work/s helve --workspace "$work/inodes" exec "rm a b; python3 -c \"open('.mc' + 'p.json', 'w')\"; true" 2>&1) || ran="failed: $ran"
  left=$(ls -A "$work/inodes")
  umount "$work/inodes"
  [[ $ran != failed* ]] || fail "without free inodes no command runs: $ran"
  [[ $left != *a* ]] || fail "without free inodes a command cannot remove a file"
  [[ $left != *.mcp.json* ]] || fail "a command made a protected file when the disk was full"
  echo "a command frees a full disk and makes no protected file there"
else
  echo "full and read-only file systems were not tried: no file system can be mounted here"
fi
