#include "policy/call_paths.h"

#include <algorithm>
#include <array>

#include "base/json_read.h"
#include "policy/tool_names.h"
#include "workspace/patch_parse.h"

namespace helve::policy {
namespace {

constexpr auto kWholeTrees = std::to_array<std::string_view>(
    {"grep", "find", "ls", "find_symbols", "code_query", "get_code_outline", "lsp_symbols"});

CallPaths paths_of_patch(const std::string& text) {
  const auto patch = parse_patch(text);
  if (!patch) return {.complete = false};
  CallPaths found;
  for (const FilePatch& file : patch->files)
    for (const std::string* path : {&file.old_path, &file.new_path})
      if (!path->empty() && std::ranges::find(found.paths, *path) == found.paths.end())
        found.paths.push_back(*path);
  return found;
}

}  // namespace

CallPaths paths_of_call(std::string_view tool, const Json& arguments) {
  const ToolKind kind = kind_of_tool(tool);
  if (kind != ToolKind::kReadsFiles && kind != ToolKind::kChangesFiles) return {};
  if (tool == "apply_patch") return paths_of_patch(text_in(arguments, "patch"));
  CallPaths found;
  const bool tree = std::ranges::find(kWholeTrees, tool) != kWholeTrees.end();
  // A directory that is read is listed, so what lies in it counts there, too.
  if (tree || tool == "read") found.extent = PathSpec::Extent::kContents;
  if (std::string path = text_in(arguments, "path"); !path.empty())
    found.paths.push_back(std::move(path));
  else if (tree)
    found.paths.emplace_back(".");
  found.complete = !found.paths.empty() && tool != "rename_symbol";
  return found;
}

}  // namespace helve::policy
