#!/usr/bin/env bash
# Kills the program with SIGKILL while a command of it makes repositories, and while it disarms them: the next start in
# that workspace does what was left to do, before anything else, and leaves the user's own repositories alone.
# Usage: tests/killed_commands.sh DIRECTORY_OF_HELVE
set -euo pipefail
export PATH=$(cd "$1" && pwd):$PATH
work=$(mktemp -d)
helve_pid=
trap '[[ -z "$helve_pid" ]] || kill -9 "$helve_pid" 2>/dev/null || true; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state XDG_DATA_HOME=$work/data GIT_CONFIG_GLOBAL=/dev/null

fail() { echo "killed_commands: $*"; exit 1; }
notes() { find "$work/state/helve/unsettled" -type f -name '*.note_*' 2>/dev/null | wc -l; }
wait_for() { # condition…
  for ((i = 0; i < 1500; i++)); do "$@" && return; sleep 0.02; done
  fail "this never became true: $*"
}
armed() { [[ -e "$1/.git/hooks/post-commit" ]] && grep -q evil "$1/.git/config"; }
disarmed() { [[ -d "$1/.git" && ! -e "$1/.git/hooks/post-commit" ]] && ! grep -q evil "$1/.git/config"; }

mkdir "$work/w"
cd "$work/w"
git init -q users
printf '#!/bin/sh\n' >users/.git/hooks/post-commit
git -C users config core.pager evil
arm='git init -q new && printf "#!/bin/sh\n" > new/.git/hooks/post-commit && git -C new config core.pager evil'

# In the middle of the command.
helve exec "$arm; touch started; sleep 600" --quiet >/dev/null &
helve_pid=$!
wait_for test -e started
[[ $(notes) == 1 ]] || fail "there is no note while a command runs"
# Another one that starts meanwhile leaves it alone: the command still runs.
helve call ls '{"path": "."}' >/dev/null 2>"$work/log"
armed new || fail "a repository was disarmed while its command ran"
kill -9 "$helve_pid"
wait "$helve_pid" 2>/dev/null || true
helve_pid=
armed new || fail "there is nothing to do after the kill, so this test tells nothing"
helve call ls '{"path": "."}' >"$work/answer" 2>"$work/log" || fail "no start after the kill: $(cat "$work/log")"
disarmed new || fail "the next start left it armed: $(cat "$work/log")"
armed users || fail "a repository of the user was disarmed"
grep -q 'Helve was killed while a command ran' "$work/log" || fail "nothing was said: $(cat "$work/log")"
grep -q 'new/.git/hooks/post-commit' "$work/log" || fail "it was not said what was taken: $(cat "$work/log")"
[[ $(find "$work/state/helve/sessions" -path '*/held/*' | wc -l) == 2 ]] || fail "what was taken away is not held"
[[ $(notes) == 0 ]] || fail "the note is still there"
helve call ls '{"path": "."}' >/dev/null 2>"$work/log"
! grep -q 'was killed' "$work/log" || fail "it was done twice"

# While it disarms: at the first thing that it moves away.
rm -rf new started
strace -o /dev/null -e inject=renameat,renameat2:signal=SIGKILL:when=1 helve exec "$arm" --quiet >/dev/null 2>&1 || true
[[ $(notes) == 1 ]] || fail "no note is left when the disarming was interrupted"
helve call ls '{"path": "."}' >/dev/null 2>"$work/log"
disarmed new || fail "an interrupted disarming was not finished"
[[ $(notes) == 0 ]] || fail "the note is still there"

# Ordinary ends leave nothing to do: the command's, a time limit, a command that still runs at the end of the program.
rm -rf new
helve exec "$arm" --quiet >/dev/null 2>&1
disarmed new || fail "an ordinary end left it armed"
helve exec 'sleep 600' --timeout-ms 200 --quiet >/dev/null 2>&1 || true
rm -rf new
helve exec "$arm; touch background; read -r word" --tty --quiet >/dev/null 2>&1 || true
[[ -e background ]] && disarmed new || fail "a command that still ran left it armed"
[[ -z "$(ls -A "$work/state/helve/unsettled")" ]] || fail "ordinary ends leave something: $(ls -A "$work/state/helve/unsettled")"
echo "killed_commands: fine"
