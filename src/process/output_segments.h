// Which bytes of a log came from which stream: a list of segments, the newest in memory, all of them on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file_io.h"

namespace helve::process {

enum class Stream { kOutput, kError };

// From `offset` up to the next segment's, all bytes are of one stream.
struct Segment {
  std::uint64_t offset = 0;
  std::uint64_t stream_offset = 0;  // how many bytes of the same stream came before
  Stream stream = Stream::kOutput;
  bool operator==(const Segment&) const = default;
};

// Not safe from several threads by itself; OutputLog guards it.
class OutputSegments {
 public:
  // The file is made when the first segments have to leave memory, and is removed with this.
  OutputSegments(std::string path, std::uint64_t most_file_bytes);
  ~OutputSegments();
  OutputSegments(const OutputSegments&) = delete;
  OutputSegments& operator=(const OutputSegments&) = delete;

  void append(Stream stream, std::uint64_t offset, std::size_t size);

  [[nodiscard]] std::uint64_t stream_bytes(Stream stream) const { return stream_bytes_[index(stream)]; }
  // Segments that could not be kept on disk: of bytes before this offset, the stream may be unknown.
  [[nodiscard]] std::uint64_t lost_before() const { return lost_before_; }

  // The segments that cover [from, to), at most `most` of them; the first may begin before `from`.
  [[nodiscard]] std::vector<Segment> between(std::uint64_t from, std::uint64_t to, std::size_t most) const;
  // The same from the one that holds the stream's byte at `stream_offset`.
  [[nodiscard]] std::vector<Segment> of_stream(Stream stream, std::uint64_t stream_offset,
                                               std::size_t most) const;

  [[nodiscard]] bool has_file() const { return static_cast<bool>(file_); }
  [[nodiscard]] const std::string& path() const { return path_; }
  // Leaves the file behind.
  void keep() { kept_ = true; }

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
  std::uint64_t lost_before_ = 0;
  bool kept_ = false;
};

}  // namespace helve::process
