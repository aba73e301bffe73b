#!/usr/bin/env bash
# Follows a user's first steps with a fresh package; run by bare.sh inside of the bare system.
set -euo pipefail
fail() { echo "FAILED: $*"; exit 1; }
step() { echo "- $*"; }
# Everything there is, but what apt and dpkg write about themselves, and what was brought along.
everything() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /root -o -path /home -o -path /var/cache \
    -o -path /var/lib/apt -o -path '/var/lib/dpkg/*-old' -o -path /var/log -o -path /run \) -prune -o -print | LC_ALL=C sort
}

useradd --create-home --shell /bin/bash person
rm -f /etc/passwd- /etc/shadow- /etc/group- /etc/gshadow- /etc/subuid- /etc/subgid-
everything >/root/before
as_person() { (cd /home/person/work && setpriv --reuid person --regid person --init-groups env -i PATH="$PATH" HOME=/home/person LANG=C.UTF-8 USER=person "$@"); }
mkdir /home/person/work
chown person: /home/person/work

step "install"
apt-get install -y --no-install-recommends /root/helve.deb >/root/install.log 2>&1 || { cat /root/install.log; fail "apt-get install"; }
[[ $(dpkg-query -W -f '${db:Status-Status}' helve) == installed ]] || fail "not installed"
dpkg --verify helve | grep -q . && fail "files differ from their sums"
as_person helve --version

step "helve doctor"
report=$(as_person helve doctor) || { echo "$report"; fail "helve doctor"; }
grep -A1 'rg is not installed' <<<"$report" | grep -q 'apt install ripgrep' || fail "doctor does not say how to get ripgrep: $report"
grep -A1 'libcurl cannot be loaded' <<<"$report" | grep -q 'apt install libcurl4' || fail "doctor does not say how to get libcurl"
grep -q '^problem' <<<"$report" && fail "doctor found a problem: $report"
grep -E '^(ok|warning) +sandbox' <<<"$report"

step "calls"
as_person helve write hello.txt --content 'Hello, world' --plain --quiet >/dev/null
answer=$(as_person helve call read '{"path": "hello.txt"}')
[[ $answer == '{"ok":true'*'Hello, world'* ]] || fail "$answer"
as_person helve edit hello.txt --old-text world --new-text Debian --plain --quiet >/dev/null
[[ $(cat /home/person/work/hello.txt) == 'Hello, Debian' ]] || fail "the edit did not happen"
as_person helve undo --plain --quiet >/dev/null
[[ $(cat /home/person/work/hello.txt) == 'Hello, world' ]] || fail "the undo did not happen"
answer=$(as_person helve grep Hello --plain --quiet)
[[ $answer == *hello.txt* ]] || fail "$answer"
answer=$(as_person helve exec 'cat hello.txt; touch /etc/x' --plain 2>&1) && fail "a command wrote into /etc"
[[ $answer == *'Hello, world'*'Read-only file system'* ]] || fail "$answer"
as_person helve snippet_save greeting --code 'echo hello' --plain --quiet >/dev/null
[[ $(as_person helve snippets show greeting) == 'echo hello' ]] || fail "the snippet is not there"

step "an MCP handshake"
answers=$(as_person helve mcp <<'EOF'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"path":"hello.txt"}}}
EOF
)
for wanted in '"protocolVersion":"2025-06-18"' '"serverInfo":{"name":"helve"' '"name":"grep"' '"inputSchema"' 'Hello, world'; do
  grep -qF -- "$wanted" <<<"$answers" || fail "no $wanted in $answers"
done

step "manual pages and completion"
for page in helve.1 helve-read.1 helve-init.1; do gzip -t "/usr/share/man/man1/$page.gz" || fail "$page"; done
completed=$(bash --norc -c 'source /usr/share/bash-completion/completions/helve; COMP_WORDS=(helve doc); COMP_CWORD=1; _helve; echo "${COMPREPLY[*]}"')
[[ $completed == doctor ]] || fail "completion gave $completed"
[[ -s /usr/share/doc/helve/copyright ]] || fail "no copyright"

step "a plugin"
as_person helve --quiet plugin new command greeter
as_person ./greeter/test.sh >/dev/null || fail "the new plugin does not pass its own test"
as_person helve --quiet plugin add greeter
[[ $(as_person helve greeter_greet --name Debian) == *'Hello, Debian'* ]] || fail "the plugin does not greet"

step "helve init, and back"
as_person helve init gemini --yes >/dev/null
grep -q '"command": "helve"' /home/person/.gemini/settings.json || fail "helve init did not write"
as_person helve init --remove gemini --yes >/dev/null
as_person helve init --remove --yes >/dev/null
[[ ! -e /home/person/.gemini && ! -e /home/person/work/.helve ]] || fail "helve init --remove left something"

step "removal"
apt-get purge -y helve >/root/remove.log 2>&1 || { cat /root/remove.log; fail "apt-get purge"; }
everything >/root/after
diff /root/before /root/after || fail "the removal left this"
echo "the package installs, works and goes without a trace"
