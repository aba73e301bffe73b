// What a person typed in earlier runs, in a file that only that person can read.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::terminal {

// One JSON string per line, so that text of several lines stays one entry. Several programs may add to it at
// once. A value; for one thread.
class History {
 public:
  // Lines that are not ours are left out. `most`: how many entries are kept, when the file is loaded.
  explicit History(std::string path, std::size_t most = 1000);

  // Oldest first; empty when there is no file yet.
  [[nodiscard]] std::vector<std::string> load() const;
  // Text that begins with a space is not kept.
  [[nodiscard]] Expected<void> add(const std::string& text) const;

 private:
  std::string path_;
  std::size_t most_;
};

}  // namespace helve::terminal
