#include "search/search_scope.h"

#include <utility>
#include <vector>

#include "base/strings.h"

namespace helve::search {
namespace {

std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (std::string_view("*?[]{}!\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

Expected<FileChoice> FileChoice::compile(std::span<const std::string> globs, std::string_view start) {
  std::vector<std::string> wanted;
  std::vector<std::string> unwanted;
  for (const std::string& text : globs) {
    std::string_view glob = text;
    const bool exclusion = glob.starts_with('!');
    if (exclusion) glob.remove_prefix(1);
    while (glob.starts_with("./")) glob.remove_prefix(2);
    if (glob.empty())
      return fail(ErrorCode::kInvalidArgument, concat("The glob \"", text, "\" is empty."),
                  "Use a name such as *.cc, or a path such as src/**/*.cc.");
    // An included directory means everything inside it. Exclusions need no `**`: the walker does not enter
    // them.
    std::string whole(glob);
    if (!exclusion && glob.ends_with('/'))
      whole = concat(glob.find('/') == glob.size() - 1 ? "**/" : "", glob, "**");
    const std::string_view mark = exclusion ? "!" : "";
    auto& list = exclusion ? unwanted : wanted;
    list.push_back(concat(mark, whole));
    const bool has_path = whole.find('/') < whole.size() - 1 && !whole.starts_with("**/");
    if (has_path && !start.empty())
      list.push_back(concat(mark, "/", escaped(start), whole.starts_with('/') ? "" : "/", whole));
  }
  FileChoice choice;
  auto takes = FileGlobs::compile(wanted);
  if (!takes) return fail(takes.error());
  auto leaves = FileGlobs::compile(unwanted);
  if (!leaves) return fail(leaves.error());
  choice.wanted_ = std::move(*takes);
  choice.unwanted_ = std::move(*leaves);
  return choice;
}

Expected<SearchStart> find_start(const workspace::Root& root, const std::string& path) {
  if (path.empty() || path == ".") return SearchStart{};
  const auto found = root.stat(path);
  if (!found) return fail(found.error().code == ErrorCode::kNotFound ? root.not_found(path) : found.error());
  if (S_ISDIR(found->status.st_mode)) {
    auto directory = root.open_directory(path);
    if (!directory) return fail(directory.error());
    return SearchStart{.file = {}, .directory = directory->path == "." ? "" : std::move(directory->path)};
  }
  auto file = root.open_read(path);
  if (!file) return fail(file.error());
  return SearchStart{.file = std::move(*file)};
}

}  // namespace helve::search
