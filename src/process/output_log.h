// The output of one command: all of it on disk, the newest part in memory, counted exactly.
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
#include "process/output_index.h"

namespace helve::process {

struct OutputLimits {
  std::uint64_t disk_bytes = std::uint64_t{16} << 30;  // bytes beyond this are counted but lost
  // Long output leaves this much of the disk free.
  std::uint64_t free_bytes = std::uint64_t{128} << 20;
  std::size_t memory_bytes = std::size_t{128} << 10;  // the newest part
};

struct StreamCount {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  // an unfinished last line counts
  bool operator==(const StreamCount&) const = default;
};

struct OutputState {
  StreamCount all = {};  // both streams in order of arrival
  StreamCount output = {};
  StreamCount error = {};
  std::uint64_t on_disk = 0;    // bytes from the start
  std::uint64_t in_memory = 0;  // bytes up to the end
  std::string trouble = {};     // why not everything is on disk; empty if it is
  // Bytes that are neither on disk nor in memory.
  [[nodiscard]] std::uint64_t lost() const { return all.bytes - std::min(all.bytes, on_disk + in_memory); }
};

// A part of the log. It begins later than requested if the bytes before are lost.
struct OutputPart {
  std::uint64_t offset = 0;
  std::string bytes = {};
};

// One thread appends; all other functions may be called from all threads. Owned by its Job. The file is
// removed with the log unless keep() was called.
class OutputLog {
 public:
  // Creates a file with an unguessable name in `directory`, readable only by the user.
  [[nodiscard]] static Expected<std::unique_ptr<OutputLog>> create(const std::string& directory,
                                                                   const OutputLimits& limits = {});
  ~OutputLog();
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  // Never fails; state() reports disk errors.
  void append(Stream stream, std::string_view bytes);
  // Drops everything so far and counts from zero again.
  void clear();
  // Frees most of the memory after the last append; the data stays readable from disk.
  void shrink();
  // Leaves the file on disk when the log is destroyed.
  void keep();
  // Removes the file's name now; the log stays readable for those who hold it.
  void discard();

  [[nodiscard]] OutputState state() const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  // How often the log was cleared. Offsets of different generations are unrelated.
  [[nodiscard]] std::uint64_t generation() const;

  // At most `most` bytes starting at `offset`; empty at the end.
  [[nodiscard]] Expected<OutputPart> read(std::uint64_t offset, std::size_t most) const;
  // The same for one stream, with offsets within that stream.
  [[nodiscard]] Expected<OutputPart> read_stream(Stream stream, std::uint64_t offset, std::size_t most) const;
  // Offset of a line, counting from 1; the end of the log if there are fewer lines.
  [[nodiscard]] Expected<std::uint64_t> line_offset(std::uint64_t line) const;
  // Number of line breaks before an offset.
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
  [[nodiscard]] bool leaves_room(std::uint64_t written, std::size_t more) const;
  void remember(std::string_view bytes);
  [[nodiscard]] std::string from_memory(std::uint64_t offset, std::size_t most) const;  // requires mutex_

  const std::string path_;
  const UniqueFd file_;
  const OutputLimits limits_;

  mutable std::mutex append_mutex_;  // held while appending or clearing, before mutex_
  mutable std::mutex mutex_;         // guards everything below; never held during disk I/O
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
