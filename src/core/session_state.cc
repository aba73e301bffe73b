#include "core/session_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "base/strings.h"
#include "helve/session.h"

namespace helve {

void SessionDirectory::hold() {
  if (path_.empty()) return;
  std::call_once(once_, [&] {
    if (!make_private_directories(path_)) return;  // the first write reports the reason
    held_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (held_) ::flock(held_.get(), LOCK_SH);
  });
}

SessionDirectory::~SessionDirectory() {
  std::error_code error;
  if (at_the_end_ == AtTheEnd::kIsKept || path_.empty() || !std::filesystem::exists(path_, error)) return;
  std::filesystem::remove_all(path_ + "/tmp", error);
  for (std::filesystem::directory_iterator entry(path_ + "/output", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && entry->file_size(ignored) == 0)
      std::filesystem::remove(entry->path(), ignored);
  }
  for (const std::string_view name : {"/output/held", "/output", ""}) ::rmdir(concat(path_, name).c_str());
}

SessionState& session_state(const Context& context) { return context.session().state(); }

}  // namespace helve
