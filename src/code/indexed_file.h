// What the index keeps of one file: its definitions without their texts, and the words in it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbol.h"

namespace helve::code {

// By which a change of the file is seen without reading it.
struct FileStamp {
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::int64_t changed = 0;   // the same of the inode, which nobody can set back
  std::uint64_t size = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileStamp&) const = default;
};
[[nodiscard]] FileStamp stamp_of(const struct stat& status);

// Small, since there may be millions; what is to be shown is read from the file.
struct IndexedSymbol {
  std::uint32_t name = 0;       // where it begins in the file's `names`
  std::uint32_t container = 0;  // the same
  std::uint16_t name_size = 0;
  std::uint16_t container_size = 0;
  SymbolKind kind = SymbolKind::kVariable;
  std::uint8_t declaration = 0;  // 1: its body is elsewhere
  std::uint16_t signature_size = 0;
  std::uint32_t signature_begin = 0;
  std::uint32_t line = 0;
  std::uint32_t end_line = 0;
  std::uint32_t name_line = 0;
  std::uint32_t column = 0;
  std::uint32_t parent = kNoParent;

  bool operator==(const IndexedSymbol&) const = default;
};

// Never changes once it is in the index.
struct IndexedFile {
  std::string path = {};  // relative to the workspace
  FileStamp stamp = {};
  std::uint64_t hash = 0;  // of the content
  // Written so shortly before it was read that another write may have left the same stamp.
  bool recent = false;
  std::string language = {};  // for people; empty when there is no parser
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

// Reads the definitions of a file's content; `path` also tells the language.
[[nodiscard]] IndexedFile index_file(std::string path, std::string_view bytes, const FileStamp& stamp,
                                     const std::function<bool()>& should_stop = {});

[[nodiscard]] std::uint64_t content_hash(std::string_view bytes);

[[nodiscard]] std::uint32_t word_hash(std::string_view word);
// The hashes of the distinct identifiers in a text, sorted. Words in comments and literals do not count, as
// far as that can be told without a parser; `hash_comments` is for languages in which `#` begins a comment.
[[nodiscard]] std::vector<std::uint32_t> words_of(std::string_view text, bool hash_comments = false);

}  // namespace helve::code
