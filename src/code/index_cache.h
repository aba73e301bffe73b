// The index on disk, so that the next process need not parse everything again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/indexed_file.h"
#include "helve/error.h"

namespace helve::code {

using IndexedFiles = std::vector<std::shared_ptr<const IndexedFile>>;  // by path

// One text with a version and a checksum. Versions are those of the queries too: what other queries found is
// not what these would find.
[[nodiscard]] std::string encode_index(const IndexedFiles& files);
// Nothing when it is damaged, of another version, or not an index at all.
[[nodiscard]] std::optional<IndexedFiles> decode_index(std::string_view bytes);

// Readable by the user alone, replaced in one step.
[[nodiscard]] Expected<void> save_index(const std::string& path, const IndexedFiles& files);
[[nodiscard]] std::optional<IndexedFiles> load_index(const std::string& path);

}  // namespace helve::code
