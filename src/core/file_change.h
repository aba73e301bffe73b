// What the tools that change files have in common: reading for a change, committing it, telling what it did.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/context.h"
#include "helve/result.h"
#include "workspace/change_report.h"
#include "workspace/changes.h"
#include "workspace/span_edit.h"

namespace helve {

// A file as it was when a change to it was planned.
struct LoadedFile {
  std::string path;  // resolved
  std::string bytes;
  FileIdentity identity;

  [[nodiscard]] ExpectedState state() const { return ExpectedState::of_content(identity, bytes); }
};

[[nodiscard]] Expected<LoadedFile> load_file(const Context& context, std::string_view path);

// Loads a text file; binary ones are refused.
struct LoadedText {
  LoadedFile file;
  TextFormat format;
};
[[nodiscard]] Expected<LoadedText> load_text(const Context& context, std::string_view path);

// Commits in the name of the call. A file with several names (hard links) is asked about first. Afterwards
// the session is taken to have seen the new content, as far as the change gives it.
[[nodiscard]] Expected<Committed> commit_changes(const Context& context, std::string_view tool,
                                                 std::vector<FileChange>& changes);

// True when the error says that a file was changed by somebody else while the change was planned.
[[nodiscard]] bool is_concurrent_change(const Error& error);

// How the file differs from what the session saw last; empty when it does not, or when it never saw it.
[[nodiscard]] std::string changed_since_seen(const Context& context, const LoadedFile& file);

// "src/a.cc is hard-linked and was written in place; …": what else a person should know of a commit, one per
// line.
[[nodiscard]] std::string notes_of(const Committed& committed);

}  // namespace helve
