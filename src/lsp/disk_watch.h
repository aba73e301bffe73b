// Notices which files changed on disk since the last look, whoever changed them.
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
  enum class Kind { kCreated = 1, kChanged, kDeleted };  // as the protocol counts them
  std::string path;                                      // absolute
  Kind kind = Kind::kChanged;
  bool operator==(const DiskChange&) const = default;
};

// Goes through the tree and compares modification time, size and inode: no watcher of the kernel is missed,
// none overflows. One thread at a time.
class DiskWatch {
 public:
  // `directory` is absolute, in the workspace, which must outlive this.
  DiskWatch(const Root& workspace, const std::string& directory, std::vector<std::string> globs);

  // The first look only remembers.
  [[nodiscard]] Expected<std::vector<DiskChange>> look(const Patience& patience);

 private:
  using Snapshot = std::map<std::string, FileIdentity>;  // by path relative to the workspace
  [[nodiscard]] Expected<Snapshot> take(const Patience& patience) const;

  const Root& workspace_;
  std::string start_;
  std::vector<std::string> globs_;
  bool looked_ = false;
  Snapshot last_;
};

}  // namespace helve::lsp
