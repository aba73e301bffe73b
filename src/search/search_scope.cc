#include "search/search_scope.h"

#include <algorithm>
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

// `a//b` and `a/./b` are `a/b`.
std::string with_single_slashes(std::string_view glob) {
  std::string out;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const bool after_slash = out.ends_with('/') && !out.ends_with("\\/");
    if (after_slash && glob[i] == '/') continue;
    if (after_slash && glob.substr(i).starts_with("./"))
      ++i;
    else
      out += glob[i];
  }
  return out;
}

}  // namespace

Expected<FileChoice> FileChoice::compile(std::span<const std::string> globs, std::string_view start,
                                         const Options& options) {
  std::vector<std::string> wanted;
  std::vector<std::string> unwanted;
  for (const std::string& text : globs) {
    const bool exclusion = is_exclusion(text, options.globs);
    const std::string clean = with_single_slashes(std::string_view(text).substr(exclusion ? 1 : 0));
    std::string_view glob = clean;
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
  const auto compile_into = [](FileGlobs& made, std::span<const std::string> texts, const GlobOptions& syntax,
                               std::span<const std::string> plain) -> Expected<void> {
    auto compiled = FileGlobs::compile(texts, syntax, plain);
    if (!compiled) return fail(compiled.error());
    made = std::move(*compiled);
    return {};
  };
  if (auto done = compile_into(choice.wanted_, wanted, options.globs, {}); !done) return fail(done.error());
  if (auto done = compile_into(choice.unwanted_, unwanted, options.globs, options.rules); !done)
    return fail(done.error());
  if (auto done = compile_into(choice.types_, {}, {}, options.types); !done) return fail(done.error());
  if (auto done = compile_into(choice.other_types_, {}, {}, options.other_types); !done)
    return fail(done.error());
  return choice;
}

bool FileChoice::has_type(std::string_view path) const {
  const Candidate candidate(path, false);
  if (!other_types_.empty() && other_types_.judge(candidate) == Verdict::kTake) return false;
  return types_.empty() || types_.judge(candidate) == Verdict::kTake;
}

std::string SearchStart::moved(std::string path, std::string_view from, std::string_view to) {
  if (from == to) return path;
  std::string_view rest = path;
  if (!from.empty()) {
    if (!rest.starts_with(from) || (rest.size() > from.size() && rest[from.size()] != '/')) return path;
    rest.remove_prefix(std::min(from.size() + 1, rest.size()));
  }
  return concat(to, to.empty() || rest.empty() ? "" : "/", rest);
}

Expected<SearchStart> find_start(const workspace::Root& root, const std::string& path) {
  if (path.empty() || path == ".") return SearchStart{};
  const auto found = root.stat(path);
  if (!found) return fail(found.error().code == ErrorCode::kNotFound ? root.not_found(path) : found.error());
  auto name = root.check_text(path, workspace::Root::Purpose::kRead);
  if (!name) return fail(name.error());
  // After a link, `..` leads somewhere else than the text says.
  if (path.find("..") != std::string::npos) *name = found->path;
  if (*name == ".") name->clear();
  if (S_ISDIR(found->status.st_mode)) {
    auto directory = root.open_directory(path);
    if (!directory) return fail(directory.error());
    if (directory->path == ".") directory->path.clear();
    return SearchStart{.file = {}, .directory = std::move(directory->path), .name = *std::move(name)};
  }
  auto file = root.open_read(path);
  if (!file) return fail(file.error());
  file->path = *name;
  return SearchStart{.file = std::move(*file), .directory = {}, .name = *std::move(name)};
}

}  // namespace helve::search
