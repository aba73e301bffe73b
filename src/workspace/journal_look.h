// Finds out how far a change of one file came, and tidies up the temporary name beside it.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "workspace/history_record.h"
#include "workspace/root.h"

namespace helve {

enum class JournalProgress {
  kOld,      // not changed, or not any more
  kNew,      // changed
  kBetween,  // moved but not rewritten; or, where it was written in place, a mixture
  kForeign,  // neither: somebody else has been there
};

// What a path has now.
struct Seen {
  std::optional<WriteTarget> target = {};   // nothing where the directory is missing
  std::optional<std::string> content = {};  // nothing where there is no file
  struct stat status = {};
  bool is_other = false;  // a link, a directory or the like is there, or the path leads elsewhere

  [[nodiscard]] bool is_absent() const { return !content && !is_other; }
  [[nodiscard]] ExpectedState state() const {
    return content ? ExpectedState::of_content(identity_of(status), *content) : ExpectedState::absent();
  }
};

[[nodiscard]] Expected<Seen> see_path(const Root& root, const std::string& resolved_path);

struct LookedAt {
  JournalProgress progress = JournalProgress::kForeign;
  Seen from = {};
  Seen to = {};  // kMove
  std::vector<std::string> notes = {};
};

// The bytes that a record keeps.
using FetchBytes = std::function<Expected<std::string>(const KeptBytes&)>;

// Afterwards no temporary name is left, but one: whatever bears it and is neither old nor new belongs to
// somebody else and goes back to the file's name if that holds only what Helve wrote; else it stays and is
// told in the notes. An error when the disk does not let itself be read.
[[nodiscard]] Expected<LookedAt> look_at_file(const Root& root, const FileRecord& file,
                                              const FingerprintKey& key, const FetchBytes& fetch);

}  // namespace helve
