#include "search/search_start.h"

#include <utility>

namespace helve::search {

Expected<SearchStart> find_start(const Root& root, const std::string& path) {
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
