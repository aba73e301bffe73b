// The files of the workspace, for tools: safe to use with any path that a model sends.
//
// A tool gets them from its Context, in place of std::ifstream and std::ofstream:
//
//   #include <helve/tool.h>
//   helve::Result shout(helve::Context& context, const std::string& path) {
//     const auto text = context.files().read(path);
//     if (!text) return helve::fail(text.error());
//     auto changed = context.files().write(path, *text + "!\n");
//     if (!changed) return helve::fail(changed.error());
//     return helve::Output{.summary = "Changed " + changed->path,
//                          .content = changed->diff,
//                          .affected_paths = {changed->path}};
//   }
//
// Every function here guarantees:
//   - Paths are relative to the workspace, or absolute inside it. The kernel resolves them beneath the open
//     directory, so that no "..", symlink or directory swapped in a race leads out (SECURITY otherwise).
//   - The user's deny rules also hold for paths that are not in the call's arguments (PERMISSION_DENIED).
//   - A change is atomic and survives a crash. The history records it under the tool's name, so undo works,
//     even after a restart.
//     Protected paths such as .git are refused (PERMISSION_DENIED).
//   - In a dry run nothing is written; the result says what would change.
//   - Errors are values whose message and hint are written for the model: return them unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/error.h"

namespace HELVE_API helve {

class Context;

// One entry of a directory.
struct FileEntry {
  enum class Kind { kFile, kDirectory, kLink, kOther };
  std::string path = {};  // relative to the workspace
  Kind kind = Kind::kFile;
  std::uint64_t bytes = 0;  // files only

  bool operator==(const FileEntry&) const = default;
};

// The effect of a change on one file; in a dry run, the effect it would have.
struct FileChanged {
  std::string path = {};       // resolved, relative to the workspace
  bool created = false;        // the file did not exist
  std::string diff = {};       // unified; empty when nothing changed
  std::string change_id = {};  // in the history; empty in a dry run and when nothing changed
};

// The intended use of a path.
enum class FileAccess { kRead, kWrite };

// The files of the workspace as one call may use them. It refers to its Context and must not outlive it;
// copying it is cheap. Use it from one thread at a time.
class Files {
 public:
  explicit Files(Context& context) : context_(&context) {}

  // Returns the bytes of a regular file, unchanged.
  //   NOT_FOUND          there is no such file; the hint suggests similar paths
  //   INVALID_ARGUMENT   a directory, device or FIFO, or larger than workspace.largest_megabytes
  //   SECURITY, PERMISSION_DENIED   see above
  [[nodiscard]] Expected<std::string> read(std::string_view path) const;

  // Lists a directory: directories first, then files, each by name. With a depth over 1, the entries of a
  // directory follow directly behind it. ".git" is not entered, and entries that the user's rules hide are
  // left out. Errors: NOT_FOUND, INVALID_ARGUMENT for something that is not a directory, SECURITY, and
  // CANCELLED or TIMEOUT when the call is stopped.
  [[nodiscard]] Expected<std::vector<FileEntry>> list(std::string_view path, int depth = 1) const;

  // Creates the file, with missing directories, or replaces its whole content, byte for byte. An existing
  // file keeps its mode and owner.
  //   CONFLICT           the file changed while this ran; read it again
  //   PERMISSION_DENIED  a protected path, or one that the user's rules deny
  //   INVALID_ARGUMENT, SECURITY   as in read(); EXECUTION_FAILED or UNAVAILABLE when the disk refuses
  [[nodiscard]] Expected<FileChanged> write(std::string_view path, std::string_view content) const;

  // Replaces `old_text`, which must occur exactly once, by `new_text`. A line break in `old_text` matches the
  // file's own line endings; all other bytes of the file stay unchanged. Errors as in write(), and:
  //   NOT_FOUND  there is no such file or text; the message shows the most similar text of the file
  //   CONFLICT   the text occurs more than once; the message shows every match
  [[nodiscard]] Expected<FileChanged> edit(std::string_view path, std::string_view old_text,
                                           std::string_view new_text) const;

  // Removes a regular file. Undo restores it. Errors: NOT_FOUND, and those of write().
  [[nodiscard]] Expected<FileChanged> remove(std::string_view path) const;

  // Checks a path by its text only, without disk access: no control characters, not outside the workspace,
  // and for kWrite not a protected name. Returns the path relative to the workspace, else INVALID_ARGUMENT,
  // SECURITY or PERMISSION_DENIED. A path that passes can still be refused later, for example because a
  // symlink leads out; use check() for that.
  [[nodiscard]] Expected<std::string> check_text(std::string_view path,
                                                 FileAccess access = FileAccess::kRead) const;

  // Checks a path on disk and against the user's rules, and changes nothing. Returns the resolved path
  // relative to the workspace, or the error that a read or a write of this path would return. For kRead the
  // path must exist; for kWrite it may be new. Another process can change the disk after the check; read()
  // and write() check again themselves.
  [[nodiscard]] Expected<std::string> check(std::string_view path,
                                            FileAccess access = FileAccess::kRead) const;

 private:
  Context* context_;
};

}  // namespace helve
