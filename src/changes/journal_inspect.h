// Determines how far an interrupted change of one file got, and cleans up its temporary file.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "changes/history_record.h"
#include "helve/error.h"
#include "workspace/root.h"

namespace helve::changes {

enum class JournalProgress {
  kOld,      // not changed, or restored
  kNew,      // changed
  kPartial,  // moved but not rewritten; or, if written in place, a mixture of old and new
  kForeign,  // neither: changed by others
};

// The current content of a path.
struct PathState {
  std::optional<workspace::WriteTarget> target = {};  // nullopt if the directory is missing
  std::optional<std::string> content = {};            // nullopt if there is no regular file
  struct stat status = {};
  bool is_other = false;  // not a regular file, or the path now resolves to another place

  [[nodiscard]] bool is_absent() const { return !content && !is_other; }
  [[nodiscard]] workspace::ExpectedState state() const {
    return content ? workspace::ExpectedState::of_content(workspace::identity_of(status), *content)
                   : workspace::ExpectedState::absent();
  }
};

[[nodiscard]] Expected<PathState> read_path_state(const workspace::Root& root,
                                                  const std::string& resolved_path);

struct Inspection {
  JournalProgress progress = JournalProgress::kForeign;
  PathState from = {};
  PathState to = {};  // kMove only
  std::vector<std::string> notes = {};
};

// Fetches bytes that a record stores.
using FetchBytes = std::function<Expected<std::string>(const KeptBytes&)>;

// Removes the temporary file. If it is neither the old nor the new content, another program wrote it: it is
// moved back to the file's name if that only holds what Helve wrote; otherwise it is kept and mentioned in
// the notes. An error when the disk cannot be read.
[[nodiscard]] Expected<Inspection> inspect_file(const workspace::Root& root, const FileRecord& file,
                                                const FingerprintKey& key, const FetchBytes& fetch);

}  // namespace helve::changes
