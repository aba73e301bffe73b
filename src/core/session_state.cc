#include "core/session_state.h"

#include <unistd.h>

#include <filesystem>

#include "base/strings.h"
#include "helve/session.h"

namespace helve {

SessionDirectory::~SessionDirectory() {
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return;
  std::filesystem::remove_all(path + "/tmp", error);
  for (std::filesystem::directory_iterator entry(path + "/output", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && entry->file_size(ignored) == 0)
      std::filesystem::remove(entry->path(), ignored);
  }
  for (const std::string_view name : {"/output/held", "/output", ""}) ::rmdir(concat(path, name).c_str());
}

SessionState& session_state(const Context& context) { return context.session().state(); }

}  // namespace helve
