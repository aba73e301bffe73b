// Indexes of an output log: where its lines begin, and which of its bytes came from which stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"

namespace helve::process {

[[nodiscard]] std::uint64_t count_line_breaks(std::string_view bytes);

// Offset just after the `nth` line break (counting from 1) in `bytes`; npos when there are fewer.
[[nodiscard]] std::size_t after_line_break(std::string_view bytes, std::uint64_t nth);

// Counts line breaks and keeps a mark every so many bytes. When there are too many marks, every second one is
// dropped and the distance doubles, so memory stays bounded for any amount of output. Not thread-safe.
class LineMarks {
 public:
  struct Mark {
    std::uint64_t offset = 0;
    std::uint64_t breaks = 0;  // before `offset`
    bool operator==(const Mark&) const = default;
  };

  void append(std::string_view bytes);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t breaks() const { return breaks_; }

  // The last mark at or before an offset.
  [[nodiscard]] Mark before_offset(std::uint64_t offset) const;
  // The last mark with at most this many breaks before it.
  [[nodiscard]] Mark before_break(std::uint64_t breaks) const;

 private:
  std::vector<Mark> marks_ = {Mark{}};
  std::uint64_t distance_ = std::uint64_t{64} << 10;
  std::uint64_t bytes_ = 0;
  std::uint64_t breaks_ = 0;
};

enum class Stream { kOutput, kError };

// All bytes from `offset` up to the next segment came from one stream.
struct Segment {
  std::uint64_t offset = 0;
  std::uint64_t stream_offset = 0;  // how many bytes of the same stream came before
  Stream stream = Stream::kOutput;
  bool operator==(const Segment&) const = default;
};

// A list of segments, the newest in memory and the older ones on disk. Not thread-safe; OutputLog locks it.
class OutputSegments {
 public:
  // The file is created when segments first have to leave memory, and is removed with this object.
  OutputSegments(std::string path, std::uint64_t most_file_bytes);
  ~OutputSegments();
  OutputSegments(const OutputSegments&) = delete;
  OutputSegments& operator=(const OutputSegments&) = delete;

  void append(Stream stream, std::uint64_t offset, std::size_t size);

  [[nodiscard]] std::uint64_t stream_bytes(Stream stream) const { return stream_bytes_[index(stream)]; }

  // The segments that cover [from, to), at most `most` of them; the first may begin before `from`.
  [[nodiscard]] std::vector<Segment> between(std::uint64_t from, std::uint64_t to, std::size_t most) const;
  // The segments starting with the one that holds the stream's byte at `stream_offset`.
  [[nodiscard]] std::vector<Segment> of_stream(Stream stream, std::uint64_t stream_offset,
                                               std::size_t most) const;

 private:
  static std::size_t index(Stream stream) { return stream == Stream::kError ? 1 : 0; }
  [[nodiscard]] std::uint64_t count() const { return stored_ + recent_.size(); }
  [[nodiscard]] Segment at(std::uint64_t position) const;
  // Position of the last segment for which `is_before` holds; it holds for all earlier ones too.
  template <class IsBefore>
  [[nodiscard]] std::uint64_t last_position(const IsBefore& is_before) const;
  void move_to_file();

  std::string path_;
  std::uint64_t most_file_bytes_;
  UniqueFd file_;
  std::uint64_t stored_ = 0;
  std::vector<Segment> recent_;
  std::uint64_t stream_bytes_[2] = {0, 0};
  // Segments before this offset did not fit on disk, so the stream of earlier bytes may be unknown.
  std::uint64_t lost_before_ = 0;
};

}  // namespace helve::process
