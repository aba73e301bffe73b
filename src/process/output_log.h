// Everything that one command writes: whole on disk from the first byte, the newest part in memory, counted
// exactly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/output_lines.h"
#include "process/output_segments.h"

namespace helve::process {

struct OutputLimits {
  std::uint64_t disk_bytes = std::uint64_t{16} << 30;  // what goes beyond is counted and lost
  std::size_t memory_bytes = std::size_t{128} << 10;   // the newest part
};

struct StreamCount {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  // an unfinished last one counts
  bool operator==(const StreamCount&) const = default;
};

struct OutputState {
  StreamCount all = {};  // the two streams in the order in which they came
  StreamCount output = {};
  StreamCount error = {};
  std::uint64_t on_disk = 0;    // this many bytes from the start
  std::uint64_t in_memory = 0;  // this many bytes up to the end
  std::string trouble = {};     // why not everything is on disk; empty when it is
  // Bytes that are neither on disk nor in memory.
  [[nodiscard]] std::uint64_t lost() const { return all.bytes - std::min(all.bytes, on_disk + in_memory); }
};

// A part of the log. It may begin later than asked for when what lies before is lost.
struct OutputPart {
  std::uint64_t offset = 0;
  std::string bytes = {};
};

// One thread appends; all other functions may be called from all threads at any time. Owned by its session;
// the file is removed with the log unless it was kept.
class OutputLog {
 public:
  // The file gets an unguessable name in `directory` and can be read by the user alone.
  [[nodiscard]] static Expected<std::unique_ptr<OutputLog>> create(const std::string& directory,
                                                                   const OutputLimits& limits = {});
  ~OutputLog();
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  // Never fails: what the disk does not take is told by state().
  void append(Stream stream, std::string_view bytes);
  // Forgets everything so far and counts from zero again.
  void clear();
  // Nothing more will come: keeps little in memory of what is on disk.
  void rest();
  // Leaves the file on disk when the log goes.
  void keep();
  // Removes the file's name now; whoever still holds the log can go on reading it.
  void discard();

  [[nodiscard]] OutputState state() const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  // Counts how often the log was cleared; offsets of different generations have nothing to do with each
  // other.
  [[nodiscard]] std::uint64_t generation() const;

  // At most `most` bytes from `offset` on; empty at the end.
  [[nodiscard]] Expected<OutputPart> read(std::uint64_t offset, std::size_t most) const;
  // The same of one stream alone, in that stream's own offsets.
  [[nodiscard]] Expected<OutputPart> read_stream(Stream stream, std::uint64_t offset, std::size_t most) const;
  // Where a line begins, counting from 1; the end of the log when there are fewer lines.
  [[nodiscard]] Expected<std::uint64_t> line_offset(std::uint64_t line) const;
  // How many line breaks there are before an offset.
  [[nodiscard]] Expected<std::uint64_t> line_breaks_before(std::uint64_t offset) const;
  // Which stream wrote what in [from, to).
  [[nodiscard]] std::vector<Segment> segments(std::uint64_t from, std::uint64_t to,
                                              std::size_t most = 1000) const;

 private:
  OutputLog(std::string path, UniqueFd file, const OutputLimits& limits);
  struct DiskState {
    std::uint64_t bytes;
    std::string trouble;
  };
  [[nodiscard]] DiskState write_to_disk(std::string_view bytes) const;
  void remember(std::string_view bytes);
  [[nodiscard]] std::string from_memory(std::uint64_t offset, std::size_t most) const;  // holds mutex_

  const std::string path_;
  const UniqueFd file_;
  const OutputLimits limits_;

  mutable std::mutex append_mutex_;  // held while appending or clearing, before mutex_
  mutable std::mutex mutex_;         // guards all below; never held during disk work
  LineMarks marks_;
  std::unique_ptr<OutputSegments> segments_;
  std::uint64_t breaks_[2] = {0, 0};
  bool unfinished_[2] = {false, false};
  bool last_unfinished_ = false;
  std::string ring_;  // the newest bytes; the oldest of them is at ring_start_
  std::size_t ring_start_ = 0;
  std::uint64_t on_disk_ = 0;
  std::string trouble_;
  std::uint64_t generation_ = 0;
  bool kept_ = false;
};

}  // namespace helve::process
