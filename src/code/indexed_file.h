// The index entry of one file: its definitions, without their text, and its words.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbol.h"

namespace helve::code {

// Detects a change of the file without reading it.
struct FileStamp {
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::int64_t changed = 0;   // inode change time, which cannot be set back
  std::uint64_t size = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileStamp&) const = default;
};
[[nodiscard]] FileStamp stamp_of(const struct stat& status);

// Kept small because there may be millions. The text is read from the file when it is shown.
struct IndexedSymbol {
  std::uint32_t name = 0;       // offset in the file's `names`
  std::uint32_t container = 0;  // offset in `names`
  std::uint16_t name_size = 0;
  std::uint16_t container_size = 0;
  SymbolKind kind = SymbolKind::kVariable;
  std::uint8_t declaration = 0;  // 1 if the body is elsewhere
  std::uint16_t signature_size = 0;
  std::uint32_t signature_begin = 0;
  std::uint32_t line = 0;
  std::uint32_t end_line = 0;
  std::uint32_t name_line = 0;
  std::uint32_t column = 0;
  std::uint32_t parent = kNoParent;

  bool operator==(const IndexedSymbol&) const = default;
};

// Immutable once it is in the index.
struct IndexedFile {
  std::string path = {};  // relative to the workspace
  FileStamp stamp = {};
  std::uint64_t hash = 0;  // of the content
  // Written so shortly before it was read that a later write may have the same stamp.
  bool recent = false;
  std::string language = {};  // display name; empty if there is no parser
  std::string skipped = {};   // why there are no symbols
  std::uint32_t lines = 0;
  std::uint32_t error_regions = 0;
  bool incomplete = false;
  std::string names = {};
  std::vector<IndexedSymbol> symbols = {};
  std::vector<std::uint32_t> words = {};  // hashes of the distinct words, sorted

  [[nodiscard]] std::string_view name_of(const IndexedSymbol& symbol) const {
    return std::string_view(names).substr(symbol.name, symbol.name_size);
  }
  [[nodiscard]] std::string_view container_of(const IndexedSymbol& symbol) const {
    return std::string_view(names).substr(symbol.container, symbol.container_size);
  }
  [[nodiscard]] std::size_t memory() const;
  bool operator==(const IndexedFile&) const = default;
};

// Extracts the definitions of a file's content. `path` determines the language.
[[nodiscard]] IndexedFile index_file(std::string path, std::string_view bytes, const FileStamp& stamp,
                                     const std::function<bool()>& should_stop = {});

[[nodiscard]] std::uint64_t content_hash(std::string_view bytes);

[[nodiscard]] std::uint32_t word_hash(std::string_view word);
// The sorted hashes of the distinct identifiers in a text. Comments and literals are skipped as far as
// possible without a parser. `hash_comments` is for languages in which `#` begins a comment.
[[nodiscard]] std::vector<std::uint32_t> words_of(std::string_view text, bool hash_comments = false);

}  // namespace helve::code
