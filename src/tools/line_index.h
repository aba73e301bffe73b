// Finds lines in files of any size: one pass over the file with little memory, then direct access.
#pragma once

#include <cstddef>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "helve/error.h"
#include "text/text_lines.h"
#include "workspace/open_file.h"

namespace helve::tools {

struct LineRange {
  std::string bytes;      // whole lines with their endings, in the file's encoding
  std::size_t first = 1;  // number of the first line, counting from 1
  std::size_t lines = 0;  // the last one may be cut
  bool cut = false;       // the rest was left out, because of max_bytes
};

// Counts of the whole file and a checkpoint per megabyte, about 24 bytes each. A value; const functions are
// thread-safe.
class LineIndex {
 public:
  struct ScanOptions {
    // Stops after this many lines, for callers that do not need the total.
    std::size_t enough_lines = std::numeric_limits<std::size_t>::max();
    std::stop_token stop = {};
  };

  // Reads the file once, from start to end.
  [[nodiscard]] static Expected<LineIndex> scan(const workspace::OpenFile& file,
                                                const text::TextEncoding& encoding,
                                                const ScanOptions& options);
  [[nodiscard]] static Expected<LineIndex> scan(const workspace::OpenFile& file,
                                                const text::TextEncoding& encoding) {
    return scan(file, encoding, ScanOptions());
  }

  // False after an early stop; the counts then cover only the part that was read.
  [[nodiscard]] bool is_complete() const { return complete_; }
  [[nodiscard]] const text::LineCounts& counts() const { return counts_; }
  [[nodiscard]] const text::LineFormat& format() const { return format_; }
  [[nodiscard]] std::size_t lines() const { return counts_.lines(); }

  // Lines `first` to `first + count - 1`, as far as they exist and fit. Reads at most one extra megabyte.
  [[nodiscard]] Expected<LineRange> read(const workspace::OpenFile& file, std::size_t first,
                                         std::size_t count, std::size_t max_bytes) const;

 private:
  struct Checkpoint {
    std::size_t offset;
    std::size_t lf;  // line breaks before it, counted either way
    std::size_t cr;
  };
  LineIndex() = default;

  bool complete_ = false;
  text::LineCounts counts_;
  text::LineFormat format_;
  std::size_t text_start_ = 0;  // after the byte order mark
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace helve::tools
