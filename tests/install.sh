#!/usr/bin/env bash
# An installed Helve can be found with find_package, and the example program builds on it and runs in both forms.
# Usage: tests/install.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -euo pipefail
build=$1 source_directory=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data

cmake --install "$build" --prefix "$work/prefix" >/dev/null
mkdir "$work/manifest"
(cd "$work/prefix" && find "$PWD" -type f -o -type l) >"$work/manifest/install_manifest.txt"  # the build's own may be another's by now
foreign=$(grep -rhE '^#include' "$work/prefix/include/helve" | grep -vE '"helve/(settings/)?[a-z_]+\.h(pp)?"' | grep -vE '^#include <[a-z_]+(\.h)?>' || true)
[[ -z $foreign ]] || { echo "public headers include more than the standard library: $foreign"; exit 1; }

for file in bin/helve share/man/man1/helve.1 share/man/man1/helve-read.1 share/man/man5/helve-config.5 \
  share/bash-completion/completions/helve share/zsh/site-functions/_helve share/fish/vendor_completions.d/helve.fish; do
  [[ -s $work/prefix/$file ]] || { echo "$file was not installed"; exit 1; }
done

cmake -G Ninja -S "$source_directory/examples/embed" -B "$work/embed" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" >/dev/null
cmake --build "$work/embed" >"$work/build.log" || { cat "$work/build.log"; exit 1; }

expected='{
  "type": "object",
  "properties": {
    "text": {
      "type": "string",
      "description": "The text to count in."
    },
    "leastLength": {
      "type": "integer",
      "minimum": 1,
      "description": "Shorter words do not count.",
      "default": 1
    },
    "explanation": {
      "type": "string",
      "maxLength": 2000,
      "description": "Why you make this call, in the first person: purpose and expected effect."
    }
  },
  "required": [
    "text"
  ],
  "additionalProperties": false
}
{"ok":true,"summary":"3 words","content":"","data":{"words":3},"meta":{"truncated":false,"executionTimeMs":0,"affectedPaths":[]},"tool":"word_count"}
word_count: 2 problems with the arguments
- text is missing; it is required: The text to count in.
- txt is not a known parameter; did you mean text?'
for program in embed embed_static; do
  actual=$(cd "$work" && "$work/embed/$program" | sed -E 's/"executionTimeMs":[0-9]+/"executionTimeMs":0/')
  diff <(echo "$expected") <(echo "$actual") || { echo "$program printed something else"; exit 1; }
done
"$(dirname "$0")/public_api.sh" "$work/prefix"
lines=$(wc -l <"$source_directory/examples/embed/main.cc")
# A new plugin builds with the headers beside the program, and works.
(cd "$work" && "$work/prefix/bin/helve" --quiet plugin new library hello)
HELVE=$work/prefix/bin/helve make -s -C "$work/hello" test >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
echo '#include <helve/plugin.h>' | gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "-I$work/prefix/include" -fsyntax-only -xc -
make -s -C "$source_directory" uninstall BUILD="$work/manifest"
left=$(find "$work/prefix" -type f -o -type l -o -name helve)
[[ -z $left ]] || { echo "make uninstall left $left"; exit 1; }
echo "examples/embed ($lines lines) runs with the shared and the static library"
