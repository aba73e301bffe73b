// Detects which files changed on disk since the last check.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "helve/error.h"
#include "lsp/connection.h"
#include "workspace/file_state.h"
#include "workspace/root.h"

namespace helve::lsp {

struct DiskChange {
  enum class Kind { kCreated = 1, kChanged, kDeleted };  // the protocol's numbers
  std::string path;                                      // absolute
  Kind kind = Kind::kChanged;
  bool operator==(const DiskChange&) const = default;
};

// Walks the tree and compares modification time, size and inode. Unlike kernel watches this cannot overflow.
// Not thread-safe.
class DiskWatch {
 public:
  // `directory` is absolute and in the workspace, which must outlive this object.
  DiskWatch(const workspace::Root& workspace, const std::string& directory, std::vector<std::string> globs);

  // The changes since the previous call. The first call returns none.
  [[nodiscard]] Expected<std::vector<DiskChange>> check(const WaitLimit& limit);

 private:
  using Snapshot = std::map<std::string, workspace::FileIdentity>;  // by path relative to the workspace
  [[nodiscard]] Expected<Snapshot> take(const WaitLimit& limit) const;

  const workspace::Root& workspace_;
  std::string start_;
  std::vector<std::string> globs_;
  bool has_checked_ = false;
  Snapshot last_;
};

}  // namespace helve::lsp
