// What a binary file is, by the bytes it starts with.
#pragma once

#include <optional>
#include <string_view>

namespace helve {

struct FileKind {
  std::string_view name;  // "PNG image", "ELF program"
  std::string_view mime;  // "image/png"
  bool is_image = false;  // one that models can look at

  bool operator==(const FileKind&) const = default;
};

// `beginning` is the start of the file; 512 bytes are enough. Nothing for text and for what is not known.
[[nodiscard]] std::optional<FileKind> kind_of(std::string_view beginning);

}  // namespace helve
