#!/usr/bin/env bash
# Plugins as users see them: what is reported about bad ones, and the examples against a server on loopback; tests/docs runs the
# commands of docs/plugins.md. Usage: tests/plugins.sh DIRECTORY_OF_HELVE SOURCE_DIRECTORY
set -euo pipefail
helve=$1/helve source_directory=$2
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT
export HELVE=$helve PATH=$1:$PATH CPPFLAGS="-I$source_directory/include" CXXFLAGS="-O0 -Wall -Wextra -Wpedantic -Werror"
export XDG_DATA_HOME=$work/data XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir "$work/workspace" && cd "$work/workspace"
# get EXPRESSION: of the JSON on stdin, which is called a; "of" reads JSON inside of JSON.
get() { python3 -c 'import json, sys; a = json.load(sys.stdin); of = json.loads; print(eval(sys.argv[1]))' "$1"; }
fail() { echo "plugins: $*" >&2; exit 1; }

# Faults are reported, and nothing is installed.
mkdir broken
printf 'name = "broken"\nversion = "1.0.0"\nkind = "library"\nlibrary = "broken.so"\n[[tools]]\nname = "x"\n' >broken/plugin.toml
if helve plugin add broken 2>"$work/said"; then fail "a library that is not there was added"; fi
grep -q 'there is no file .*/broken.so' "$work/said" || fail "$(cat "$work/said")"
if helve plugin remove ../workspace 2>/dev/null; then fail "a path was accepted as a name"; fi
if helve plugin new library 'x;y' 2>/dev/null; then fail "x;y was accepted as a name"; fi
[[ -z $(ls -A "$XDG_DATA_HOME/helve/plugins" 2>/dev/null) ]] || fail "something was installed"

# The examples, each against the server.
coproc python3 "$source_directory/tests/plugins/echo_server.py"
server=$COPROC_PID
read -r -t 20 port <&"${COPROC[0]}" || fail "the server does not start"
cp -r "$source_directory/examples/plugins/." examples && make -s -C examples/custom_api_call
helve --quiet plugin add examples/custom_api_call examples/custom_api_call_py examples/custom_api_call_curl.toml
for tool in custom_api_call mcp__custom_api_call_py__custom_api_call custom_api_call_curl; do
  data='{"a": [1, "ü"]}'
  [[ $tool != *curl ]] || data='"{\"a\": [1, \"ü\"]}"'
  for method in GET POST PUT DELETE; do
    answer=$(timeout 60 helve call "$tool" "{\"endpoint\": \"http://127.0.0.1:$port/x?y=1\", \"method\": \"$method\", \"data\": $data}")
    [[ $(get 'of(a["content"])["method"] + " " + of(a["content"])["path"]' <<<"$answer") == "$method /x?y=1" ]] || fail "$tool $method: $answer"
    [[ $(get 'of(of(a["content"])["body"])' <<<"$answer") == "{'a': [1, 'ü']}" ]] || fail "$tool $method: $answer"
  done
  answer=$(timeout 60 helve call "$tool" "{\"endpoint\": \"http://127.0.0.1:$port/missing\"}")
  [[ $(get 'of(a["content"])["path"]' <<<"$answer") == /missing ]] || fail "$tool: $answer"
  [[ $tool == *curl || $(get 'a["data"]["status"]' <<<"$answer") == 404 ]] || fail "$tool: $answer"
  # It needs approval to use the network.
  answer=$(helve --mode auto call "$tool" "{\"endpoint\": \"http://127.0.0.1:$port/\"}") && fail "$tool ran without approval"
  [[ $(get 'a["error"]["code"]' <<<"$answer") == PERMISSION_DENIED ]] || fail "$tool: $answer"
  answer=$(helve call "$tool" '{"endpoint": "file:///etc/passwd", "method": "PATCH"}') && fail "$tool took a file"
  [[ $(get 'a["error"]["code"]' <<<"$answer") == INVALID_ARGUMENT ]] || fail "$tool: $answer"
done
[[ $(helve --json plugin list | get '(a["problems"], [p["loaded"] for p in a["plugins"]])') == "([], [True, True, True])" ]] ||
  fail "$(helve plugin list)"

# A server that runs hears of plugins that come and go.
helve --quiet plugin remove custom_api_call custom_api_call_py custom_api_call_curl
python3 - "$helve" "$source_directory/examples/plugins/words.toml" <<'PY' || fail "helve mcp does not follow its plugins"
import json, os, queue, shutil, subprocess, sys, threading

helve, words = sys.argv[1:]
server = subprocess.Popen([helve, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
lines = queue.Queue()
threading.Thread(target=lambda: [lines.put(json.loads(line)) for line in server.stdout], daemon=True).start()

def send(**message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()

def wait(fits):
    while not fits(message := lines.get(timeout=30)):
        pass
    return message

def tools(number):
    send(id=number, method="tools/list")
    return [tool["name"] for tool in wait(lambda m: m.get("id") == number)["result"]["tools"]]

changed = lambda m: m.get("method") == "notifications/tools/list_changed"
try:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    send(id=1, method="initialize", params=client)
    wait(lambda m: m.get("id") == 1)
    send(method="notifications/initialized")
    assert "count_words" not in tools(2)
    subprocess.run([helve, "--quiet", "plugin", "add", words], check=True)
    wait(changed)
    assert "count_words" in tools(3)
    subprocess.run([helve, "--quiet", "plugin", "remove", "words"], check=True)
    wait(changed)
    assert "count_words" not in tools(4)
finally:
    server.stdin.close()
    server.wait(timeout=30)
PY
echo "bad plugins are refused, and the examples work"
