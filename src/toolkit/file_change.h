// Shared by the tools that change files: loading a file, committing a change, reporting it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "changes/changes.h"
#include "helve/context.h"
#include "helve/result.h"
#include "patch/change_report.h"
#include "text/span_edit.h"

namespace helve::toolkit {

// A file as it was when its change was planned.
struct LoadedFile {
  std::string path;  // resolved
  std::string bytes;
  workspace::FileIdentity identity;
  mode_t permissions = 0644;

  [[nodiscard]] workspace::ExpectedState state() const {
    return workspace::ExpectedState::of_content(identity, bytes);
  }
};

[[nodiscard]] Expected<LoadedFile> load_file(const Context& context, std::string_view path);

// Loads a text file; refuses binary files.
struct LoadedText {
  LoadedFile file;
  text::TextFormat format;
};
[[nodiscard]] Expected<LoadedText> load_text(const Context& context, std::string_view path);

// Commits changes of this call. Asks the user first about a file with other hard links. Afterwards the
// session counts as having seen the new content.
[[nodiscard]] Expected<changes::Committed> commit_changes(const Context& context, std::string_view tool,
                                                          std::vector<changes::FileChange>& changes);

// True when the error says that another process changed the file meanwhile.
[[nodiscard]] bool is_concurrent_change(const Error& error);

// The diff from the content that the session saw last; empty without a difference, or if it never saw the
// file.
[[nodiscard]] std::string changed_since_seen(const Context& context, const LoadedFile& file);

// Warnings about a commit, one per line: "src/a.cc has other hard links; …".
[[nodiscard]] std::string notes_of(const changes::Committed& committed);

}  // namespace helve::toolkit
