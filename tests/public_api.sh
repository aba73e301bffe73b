#!/usr/bin/env bash
# The shared library exports what the public headers declare and nothing else, and the examples in the headers compile.
# Usage: tests/public_api.sh PREFIX_OF_AN_INSTALLATION
set -euo pipefail
include=$1/include/helve
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "public_api: $*"; exit 1; }

# "Runtime" for helve::Runtime::call(…), "to_text" for helve::to_text[abi:cxx11](…), "fill_params" for a template's function
library=$(find "$1" -name libhelve.so | head -1)
[[ -n $library ]] || fail "there is no libhelve.so in $1"
nm -DC --defined-only "$library" | cut -c20- >"$work/exported"
stray=$(grep -vE '(^|[ ])helve::' "$work/exported" || true)
[[ -z $stray ]] || fail "exports names that are not in the namespace helve: $stray"
count=$(wc -l <"$work/exported")
((count <= 200)) || fail "exports $count symbols, which were 137 at version 0.2"

cat "$include"/*.h "$include"/settings/*.h | sed -E 's,//.*,,' >"$work/headers"
sed -E 's/^(typeinfo( name)?|vtable) for //; s/[(<].*//; s/\[abi:.*//; s/.* helve::/helve::/; s/^helve::(detail::)?//; s/::.*//' "$work/exported" |
  sort -u >"$work/names"
while read -r name; do
  grep -qE "^ *(class|struct|enum class) $name( final)?( :|;| \{|$)|[ *&:>]$name\(" "$work/headers" ||
    fail "exports helve::$name, which no public header declares"
done <"$work/names"
for name in Runtime Registry Context Files parse_json to_text make_tool launch_if_asked version; do
  grep -qx "$name" "$work/names" || fail "does not export helve::$name"
done

# Each example in its own namespace, so that one compilation checks all of them.
examples=0
: >"$work/includes"
: >"$work/bodies"
for header in "$include"/*.h; do
  [[ $(basename "$header") != api.h ]] || continue  # shows how headers are written, not how they are used
  example=$(awk '/^\/\/   #include/ { begun = 1 } begun && !/^\/\/(   |$)/ { exit } begun { print substr($0, 6) }' "$header")
  grep -q '#include <helve/' <<<"$example" || fail "$(basename "$header") has no example"
  grep '^#include' <<<"$example" >>"$work/includes"
  { echo "namespace example_$examples {"; grep -v '^#include' <<<"$example"; echo "}"; } >>"$work/bodies"
  examples=$((examples + 1))
done
{ sort -u "$work/includes"; cat "$work/bodies"; } >"$work/examples.cc"
g++ -std=c++23 -Wall -Wextra -Werror -fsyntax-only "-I$1/include" "$work/examples.cc" || fail "an example does not compile"
echo "$count exported symbols, $examples examples in headers"
