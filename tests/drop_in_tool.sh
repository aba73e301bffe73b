#!/usr/bin/env bash
# A file dropped into src/tools appears in the tool list, the prompts and the docs with no other change.
# Usage: tests/drop_in_tool.sh BUILD_DIRECTORY SOURCE_DIRECTORY
#
# Runs in its own mount namespace, in which copies of the build directory and of src/tools are at the original
# paths: everything that is built already is used again, and neither directory changes.
set -euo pipefail
build=$1 source_directory=$2

if [[ ${HELVE_IN_NAMESPACE:-} != 1 ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  options=(--mount)
  if [[ $(id -u) != 0 ]]; then options+=(--user --map-root-user); fi
  unshare "${options[@]}" true 2>/dev/null || { echo "skipped: mount namespaces are not available here"; exit 77; }
  HELVE_IN_NAMESPACE=1 HELVE_WORK=$work unshare "${options[@]}" "$0" "$@"
  exit
fi

work=$HELVE_WORK
cp -a "$source_directory/src/tools" "$work/tools"
cp -a --reflink=auto "$build" "$work/build"
mount --bind "$work/tools" "$source_directory/src/tools"
mount --bind "$work/build" "$build"

cat >"$source_directory/src/tools/tell_fortune.cc" <<'TOOL'
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

cat >"$source_directory/src/tools/count_letters.cc" <<'TOOL'
// Counts the bytes of a file.
#include "core/engines.h"
#include "helve/tool.h"

namespace helve::tools {

struct CountLetters {
  static constexpr std::string_view kDescription = "Count the bytes of a file.";
  static constexpr Effect kEffect = Effect::kRead;

  struct Params {
    std::string input;
    void describe(ParamSpec& p) { p.required("input", input, "The file."); }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.input, Resource::Use::kShared}};
  }

  Result execute(Context& context, const Params& params) const {
    const auto status = context.engines().root.stat(params.input);
    if (!status) return fail(status.error());
    return Output{.summary = "Counted", .content = std::to_string(status->status.st_size) + " bytes"};
  }
};

}  // namespace helve::tools
TOOL

cat >"$source_directory/src/tools/scribble.cc" <<'TOOL'
// Writes a line.
#include <fstream>

#include "core/engines.h"
#include "helve/tool.h"

namespace helve::tools {

struct Scribble {
  static constexpr std::string_view kDescription = "Write a line into a file.";
  static constexpr Effect kEffect = Effect::kWrite;

  struct Params {
    std::string output;
    void describe(ParamSpec& p) { p.required("output", output, "The file."); }
  };

  Result execute(Context& context, const Params& params) const {
    std::ofstream(context.engines().root.path() + "/" + params.output) << "scribbled\n";
    return Output{.summary = "Scribbled", .content = "scribbled"};
  }
};

}  // namespace helve::tools
TOOL

export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
cmake --build "$build" --target helve >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
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

# Rules hold for a tool that they do not know.
mkdir -p "$work/project/secrets"
echo secret >"$work/project/secrets/key"
echo open >"$work/project/open"
cd "$work/project"
expect '5 bytes' "$helve" count_letters open --set 'permissions.deny=["read(./secrets/**)"]'
expect 'PERMISSION_DENIED' "$helve" count_letters secrets/key --set 'permissions.deny=["read(./secrets/**)"]'
expect 'PERMISSION_DENIED' "$helve" count_letters secrets/key --set 'permissions.deny=["read(**/key)"]'
expect 'PERMISSION_DENIED' "$helve" count_letters secrets/key --set 'permissions.deny=["count_letters(./secrets/**)"]'
expect 'PERMISSION_DENIED' "$helve" count_letters open --set 'permissions.deny=["count_letters"]'

# Its effect decides in each mode, and the rules for tools that change files hold for it.
expect 'ask' "$helve" explain scribble '{"output": "a"}'
expect 'PERMISSION_DENIED' "$helve" --mode ask scribble a
expect 'PERMISSION_DENIED' "$helve" --mode plan scribble a
expect 'PERMISSION_DENIED' "$helve" scribble a --set 'permissions.deny=["edit"]'
expect 'PERMISSION_DENIED' "$helve" scribble secrets/key --set 'permissions.deny=["edit(./secrets/**)"]'
[[ ! -e a && $(<secrets/key) == secret ]] || { echo "scribble wrote without approval"; exit 1; }
expect 'scribbled' "$helve" --mode accept-edits scribble a
[[ $(<a) == scribbled ]]
echo "a dropped-in tool is listed, prompted, documented, completed and called"
