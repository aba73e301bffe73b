#!/usr/bin/env bash
# Sixteen processes save, load, list and delete snippets at once, and every fifth is killed in the middle of it.
# Afterwards every snippet that was reported as saved is there, whole. No process saw a lock, and the database is sound.
# Usage: tests/snippet_storm.sh DIRECTORY_OF_HELVE SECONDS
set -euo pipefail
export PATH=$(cd "$1" && pwd):$PATH
seconds=$2
work=$(mktemp -d)
workers=()
tidy_up() {
  local worker
  for worker in "${workers[@]}"; do kill "$worker" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap tidy_up EXIT
mkdir "$work/w"
export XDG_DATA_HOME=$work/data XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config HELVE_LOG_LEVEL=error
# The audit is a file that all share, and not what is tested here.
export HELVE_AUDIT_ENABLED=false
cd "$work/w"
database=$XDG_DATA_HOME/helve/store/helve.db

fail() { echo "snippet_storm: $*"; exit 1; }

# One call; what it answered goes to the file of the worker when it is an error.
call() { # worker, tool, arguments
  local answer
  answer=$(helve call "$2" "$3") || { echo "$2 $3: $answer" >>"$work/errors-$1"; return 1; }
}

storm() { # worker
  local worker=$1 number=0 name child
  while ((SECONDS < seconds)); do
    number=$((number + 1))
    name=w$worker-$number
    if ((number % 5 == 0)); then
      # It may have been saved or not when it was killed, but never half of it.
      helve call snippet_save "{\"name\": \"k$name\", \"code\": \"code of k$name\", \"tags\": [\"storm\"]}" >/dev/null 2>&1 &
      child=$!
      sleep "0.0$((RANDOM % 4))$((RANDOM % 10))"
      kill -9 "$child" 2>/dev/null || true
      wait "$child" 2>/dev/null || true
      continue
    fi
    call "$worker" snippet_save "{\"name\": \"$name\", \"code\": \"code of $name\", \"tags\": [\"storm\"]}" || return
    echo "$name" >>"$work/saved-$worker"
    call "$worker" snippet_load "{\"name\": \"$name\"}" || return
    call "$worker" snippet_save "{\"name\": \"shared\", \"code\": \"by $name\"}" || return
    if ((number % 7 == 0)); then
      call "$worker" snippet_list '{"query": "code of", "tags": ["storm"]}' || return
      call "$worker" snippet_delete "{\"name\": \"$name\"}" || return
      echo "$name" >>"$work/deleted-$worker"
    fi
  done
}

SECONDS=0
for worker in {1..16}; do
  storm "$worker" 2>/dev/null &
  workers+=($!)
done
for worker in "${workers[@]}"; do wait "$worker" || true; done
workers=()

if compgen -G "$work/errors-*" >/dev/null; then cat "$work"/errors-*; fail "a process saw an error"; fi
helve snippets check | grep -q '^sound' || fail "$(helve snippets check)"
[[ $(sqlite3 "$database" 'PRAGMA integrity_check') == ok ]] || fail "$(sqlite3 "$database" 'PRAGMA integrity_check')"
touch "$work/deleted-0"
sort "$work"/saved-* >"$work/saved"
sort "$work"/deleted-* >"$work/deleted"
helve snippets list --most 100000 --query "code of" | sed -E 's/  \(.*//' | sort >"$work/listed"
lost=$(comm -23 "$work/saved" "$work/deleted" | comm -23 - "$work/listed")
[[ -z $lost ]] || fail "lost: $lost"
undead=$(comm -12 "$work/deleted" "$work/listed")
[[ -z $undead ]] || fail "deleted, but there: $undead"
helve snippets export "$work/files/" >/dev/null
while read -r name; do
  [[ $(<"$work/files/$name.txt") == "code of $name" ]] || fail "$name has other code: $(<"$work/files/$name.txt")"
done <"$work/listed"
[[ $(<"$work/files/shared.txt") == "by w"* ]] || fail "shared has other code"
echo "$(wc -l <"$work/saved") saved, $(wc -l <"$work/deleted") deleted, $(grep -c '^k' "$work/listed" || true) survived being killed; nothing lost"
