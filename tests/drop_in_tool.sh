#!/usr/bin/env bash
# A file dropped into src/tools appears in the tool list, the prompts and the docs with no other change.
# Usage: tests/drop_in_tool.sh SOURCE_DIRECTORY
set -euo pipefail
source_directory=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source_directory"/{CMakeLists.txt,cmake,include,scripts,src} "$work"
ln -s "$source_directory/grammars" "$work/grammars"

cat >"$work/src/tools/tell_fortune.cc" <<'TOOL'
// Tells a fortune.
#include "helve/tool.h"

namespace helve::tools {

struct TellFortune {
  static constexpr std::string_view kDescription = "Tell somebody's fortune.";
  static constexpr Effect kEffect = Effect::kRead;

  struct Params {
    std::string name;
    void describe(ParamSpec& p) { p.required("name", name, "Whose fortune it is."); }
  };

  Result execute(Context&, const Params& params) const {
    return Output{.summary = "Told a fortune", .content = params.name + " will write a tool."};
  }
};

}  // namespace helve::tools
TOOL

export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
build=$work/build
# Not optimised: it only has to be there.
cmake -G Ninja -S "$work" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHELVE_TESTS=OFF >/dev/null
cmake --build "$build" --target helve >"$work/build.log" || { cat "$work/build.log"; exit 1; }
helve=$build/helve

expect() { # what, command…
  local what=$1; shift
  grep -qF -- "$what" <<<"$("$@")" || { echo "not found: '$what' in: $*"; exit 1; }
}
expect "Tell somebody's fortune." "$helve" tools
expect '"tell_fortune"' "$helve" prompt --format openai
expect '<tool name="tell_fortune"' "$helve" prompt --format xml
expect '## tell_fortune' "$helve" tools --markdown
expect 'Ada will write a tool.' "$helve" call tell_fortune '{"name":"Ada"}'
expect 'Ada will write a tool.' "$helve" tell_fortune --name Ada
expect '--name' "$helve" completion query -- tell_fortune --
echo "a dropped-in tool is listed, prompted, documented, completed and called"
