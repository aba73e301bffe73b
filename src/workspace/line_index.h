// Finds lines in files of any size: one pass over the file in little memory, then direct access.
#pragma once

#include <cstddef>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "helve/error.h"
#include "workspace/open_file.h"
#include "workspace/text_lines.h"

namespace helve {

struct LineRange {
  std::string bytes;      // whole lines with their endings, in the file's encoding
  std::size_t first = 1;  // number of the first line, counting from 1
  std::size_t lines = 0;  // how many there are; the last one may be cut
  bool cut = false;       // more bytes than allowed: the rest was left out
};

// Counts of the whole file and where every megabyte's first line is: about 24 bytes per megabyte. A value;
// reading from it is possible from all threads.
class LineIndex {
 public:
  struct ScanOptions {
    // Stops early once this many lines are known; for callers that need no total.
    std::size_t enough_lines = std::numeric_limits<std::size_t>::max();
    std::stop_token stop = {};
  };

  // Reads the file once, from start to end.
  [[nodiscard]] static Expected<LineIndex> scan(const OpenFile& file, const TextEncoding& encoding,
                                                const ScanOptions& options);
  [[nodiscard]] static Expected<LineIndex> scan(const OpenFile& file, const TextEncoding& encoding) {
    return scan(file, encoding, ScanOptions());
  }

  // False after an early stop: then the counts are those of the part that was read.
  [[nodiscard]] bool is_complete() const { return complete_; }
  [[nodiscard]] const LineCounts& counts() const { return counts_; }
  [[nodiscard]] const LineFormat& format() const { return format_; }
  [[nodiscard]] std::size_t lines() const { return counts_.lines(); }

  // Lines `first` to `first + count - 1`, as far as they exist and fit. Reads a megabyte more at most.
  [[nodiscard]] Expected<LineRange> read(const OpenFile& file, std::size_t first, std::size_t count,
                                         std::size_t max_bytes) const;

 private:
  struct Checkpoint {
    std::size_t offset;
    std::size_t lf;  // breaks before it, by either reading
    std::size_t cr;
  };
  LineIndex() = default;

  bool complete_ = false;
  LineCounts counts_;
  LineFormat format_;
  std::size_t text_start_ = 0;  // after the byte order mark
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace helve
