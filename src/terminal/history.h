// The input history across runs, in a file that only the user can read.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::terminal {

// One JSON string per line, so that multi-line text is one entry. Several processes may append at once. Not
// thread-safe.
class History {
 public:
  // Invalid lines are ignored. `most` is the number of entries to keep.
  explicit History(std::string path, std::size_t most = 1000);

  // Oldest first; empty if there is no file yet.
  [[nodiscard]] std::vector<std::string> load() const;
  // Text that begins with a space is not stored.
  [[nodiscard]] Expected<void> add(const std::string& text) const;

 private:
  std::string path_;
  std::size_t most_;
};

}  // namespace helve::terminal
