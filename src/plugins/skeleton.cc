#include "plugins/skeleton.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/strings.h"

namespace helve::plugins {
namespace {

// NAME is replaced by the plugin's name, TOOL by its tool's name, TYPE by the tool's C++ type.

constexpr std::string_view kCommandManifest = R"(name = "NAME"
version = "0.1.0"
description = "What the plugin is for."

[[tools]]
name = "TOOL"
description = "Greet somebody."
effect = "read"
command = ["printf", "Hello, %s!\\n", "{name}"]
parameters = [
  {name = "name", type = "string", description = "Whom to greet.", required = true},
]
)";

constexpr std::string_view kLibraryManifest = R"(name = "NAME"
version = "0.1.0"
description = "What the plugin is for."
kind = "library"
library = "NAME.so"

[[tools]]
name = "TOOL"
effect = "read"
)";

constexpr std::string_view kLibrarySource = R"(// The tools of the plugin NAME.
#include <helve/plugin.hpp>

using namespace helve::plugin;

struct TYPE {
  static constexpr std::string_view kDescription = "Greet somebody.";
  static constexpr Effect kEffect = Effect::kRead;

  struct Params {
    std::string name;

    void describe(ParamSpec& p) { p.required("name", name, "Whom to greet.", {.min_length = 1}); }
  };

  Result execute(Context&, const Params& params) const {
    return Output{.summary = "Greeted " + params.name, .content = "Hello, " + params.name + "!\n"};
  }
};

HELVE_PLUGIN("NAME", "0.1.0", TYPE)
)";

constexpr std::string_view kLibraryMakefile = R"(CXXFLAGS ?= -O2 -Wall -Wextra
CPPFLAGS ?= INCLUDE

NAME.so: NAME.cc
	$(CXX) -std=c++20 -shared -fPIC -fvisibility=hidden $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) -o $@ $<

test: NAME.so
	./test.sh

clean:
	rm -f NAME.so

.PHONY: test clean
)";

constexpr std::string_view kPlainMakefile = R"(test:
	./test.sh

.PHONY: test
)";

constexpr std::string_view kMcpManifest = R"(name = "NAME"
version = "0.1.0"
description = "What the plugin is for."
kind = "mcp"
command = ["python3", "./server.py"]

[[tools]]
name = "TOOL"
effect = "read"
)";

constexpr std::string_view kMcpServer = R"PY(#!/usr/bin/env python3
"""The tools of the plugin NAME: an MCP server over stdin and stdout, with nothing but Python's own library."""
import json
import sys


def TOOL(arguments):
    return "Hello, " + arguments["name"] + "!\n"


TOOLS = {
    "TOOL": {
        "run": TOOL,
        "description": "Greet somebody.",
        "inputSchema": {
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1, "description": "Whom to greet."}},
            "required": ["name"],
            "additionalProperties": False,
        },
    },
}


def call(params):
    tool = TOOLS.get(params.get("name"))
    if tool is None:
        return {"content": [{"type": "text", "text": "There is no such tool."}], "isError": True}
    try:
        text = tool["run"](params.get("arguments") or {})
        return {"content": [{"type": "text", "text": text}]}
    except Exception as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


def answer(request):
    """The result of a request, or None when its method is not known."""
    method, params = request["method"], request.get("params") or {}
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "NAME", "version": "0.1.0"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        keys = ("description", "inputSchema")
        return {"tools": [{"name": name, **{key: tool[key] for key in keys}} for name, tool in TOOLS.items()]}
    if method == "tools/call":
        return call(params)
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request or "method" not in request:
        continue
    response = {"jsonrpc": "2.0", "id": request["id"]}
    result = answer(request)
    if result is None:
        response["error"] = {"code": -32601, "message": "Method not found"}
    else:
        response["result"] = result
    print(json.dumps(response), flush=True)
)PY";

constexpr std::string_view kTest = R"SH(#!/bin/sh
# Adds the plugin to a Helve with folders of its own, and calls its tool.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
helve=${HELVE:-helve}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME="$work/data" XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config"
cd "$work"
"$helve" --quiet plugin add "$here"
said=$("$helve" --plain --quiet call CALLED '{"name": "world"}')
if [ "$said" != "Hello, world!" ]; then
  echo "expected: Hello, world!  but it said: $said" >&2
  exit 1
fi
echo "NAME works"
)SH";

// "my-plugin" → "my_plugin_greet"
std::string tool_of(const std::string& name) { return concat(replace_all(name, "-", "_"), "_greet"); }

// "my_plugin_greet" → "MyPluginGreet"
std::string type_of(std::string_view tool) {
  std::string type;
  bool begins = true;
  for (const char c : tool) {
    if (c != '_') type += begins ? to_upper(c) : c;
    begins = c == '_';
  }
  return type;
}

}  // namespace

Expected<std::vector<SkeletonFile>> plugin_skeleton(PluginKind kind, const std::string& name,
                                                    const std::string& include_directory) {
  constexpr std::size_t kLongest = 40;  // keeps tool names within their limit
  if (name.empty() || name.size() > kLongest || name.front() < 'a' || name.front() > 'z' ||
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != std::string::npos)
    return fail(
        ErrorCode::kInvalidArgument, concat("`", name, "` is not a valid plugin name."),
        concat("Use up to ", kLongest, " lowercase letters, digits, _ and -, beginning with a letter."));
  const std::string tool = tool_of(name);
  const auto filled = [&](std::string_view text) {
    std::string out =
        replace_all(text, "CALLED", kind == PluginKind::kMcp ? concat("mcp__", name, "__", tool) : tool);
    out = replace_all(out, "NAME", name);
    out = replace_all(out, "TOOL", tool);
    out = replace_all(out, "TYPE", type_of(tool));
    return replace_all(out, "INCLUDE", include_directory.empty() ? "" : concat("-I", include_directory));
  };
  // Protect TOOLS, a Python variable, from the replacement of TOOL.
  const auto server = [&] {
    std::string text = replace_all(kMcpServer, "TOOLS", "\x01");
    return replace_all(filled(text), "\x01", "TOOLS");
  };
  std::vector<SkeletonFile> files;
  switch (kind) {
    case PluginKind::kCommand:
      files = {{"plugin.toml", filled(kCommandManifest)}, {"Makefile", std::string(kPlainMakefile)}};
      break;
    case PluginKind::kLibrary:
      files = {{"plugin.toml", filled(kLibraryManifest)},
               {concat(name, ".cc"), filled(kLibrarySource)},
               {"Makefile", filled(kLibraryMakefile)}};
      break;
    case PluginKind::kMcp:
      files = {{"plugin.toml", filled(kMcpManifest)},
               {"server.py", server(), true},
               {"Makefile", std::string(kPlainMakefile)}};
      break;
  }
  files.push_back({"test.sh", filled(kTest), true});
  return files;
}

Expected<void> write_skeleton(const std::vector<SkeletonFile>& files, const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) != 0) {
    const int error = errno;
    if (error == EEXIST)
      return fail(ErrorCode::kConflict, concat(folder, " already exists."),
                  "Choose another name or directory.");
    return fail(system_error(concat("Cannot create ", folder), error));
  }
  for (const SkeletonFile& file : files) {
    const std::string path = concat(folder, "/", file.name);
    const UniqueFd opened(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.executable ? 0755 : 0644));
    if (!opened) return fail(system_error(concat("Cannot create ", path), errno));
    if (auto written = write_all(opened.get(), file.text); !written) return written;
  }
  return {};
}

}  // namespace helve::plugins
