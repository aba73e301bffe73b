// The Content-Length framing in which language servers send and get their messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "helve/error.h"

namespace helve::lsp {

[[nodiscard]] std::string frame(std::string_view body);

// Cuts a stream of bytes into message bodies. One thread at a time.
class FrameReader {
 public:
  void append(std::string_view bytes) { buffer_ += bytes; }
  // The next whole body; nothing when more bytes are needed. An error means that the stream cannot be
  // followed any further. Lines before a header that are none, such as what a program prints by mistake, are
  // passed over.
  [[nodiscard]] Expected<std::optional<std::string>> next();

 private:
  std::string buffer_;
  std::size_t done_ = 0;  // bytes of the buffer that were handed out
};

}  // namespace helve::lsp
