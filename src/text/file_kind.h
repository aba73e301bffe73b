// Recognizes binary file formats by their first bytes.
#pragma once

#include <optional>
#include <string_view>

namespace helve::text {

struct FileKind {
  std::string_view name;  // "PNG image", "ELF program"
  std::string_view mime;  // "image/png"
  bool is_image = false;  // in a format that models accept

  bool operator==(const FileKind&) const = default;
};

// `beginning` is the start of the file; 512 bytes are enough. nullopt for text and unknown formats.
[[nodiscard]] std::optional<FileKind> kind_of(std::string_view beginning);

}  // namespace helve::text
