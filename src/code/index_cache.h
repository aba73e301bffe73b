// Stores the index on disk, so that the next process does not parse everything again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/indexed_file.h"
#include "helve/error.h"

namespace helve::code {

using IndexedFiles = std::vector<std::shared_ptr<const IndexedFile>>;  // sorted by path

// The format has a checksum and a version that includes the queries, because other queries find other
// symbols.
[[nodiscard]] std::string encode_index(const IndexedFiles& files);
// Returns nothing if the data is damaged or has another version.
[[nodiscard]] std::optional<IndexedFiles> decode_index(std::string_view bytes);

// Replaces the file atomically. Only the user can read it.
[[nodiscard]] Expected<void> save_index(const std::string& path, const IndexedFiles& files);
[[nodiscard]] std::optional<IndexedFiles> load_index(const std::string& path);

}  // namespace helve::code
