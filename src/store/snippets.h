// Pieces of code that a person or a model keeps for later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::store {

inline constexpr std::size_t kMaxSnippetCode = std::size_t{8} << 20;  // bytes
inline constexpr std::size_t kMaxSnippetName = 200;                   // characters

struct Snippet {
  std::string id = {};  // snp_ and random letters; never changes
  std::string name = {};
  std::string code = {};
  std::string description = {};
  std::string language = {};
  std::vector<std::string> tags = {};
  std::string created = {};  // 2026-11-15T03:42:07.123Z
  std::string updated = {};

  bool operator==(const Snippet&) const = default;
};

// What somebody wants to keep.
struct SnippetDraft {
  std::string name = {};
  std::string code = {};
  std::string description = {};
  std::string language = {};
  std::vector<std::string> tags = {};
};

struct SavedSnippet {
  Snippet snippet;                     // as it is now
  std::optional<Snippet> before = {};  // what it replaced
};

// Everything that is set must fit.
struct SnippetFilter {
  std::vector<std::string> tags = {};       // all of them, in upper or lower case
  std::vector<std::string> languages = {};  // one of them, in upper or lower case
  // Words that must all occur in name, description, tags or code, in any order; each may be the beginning of
  // one. Names are taken apart, so that "parse json" finds parseJson and parse_json.
  std::string query = {};
  std::size_t most = 100;
};

// A snippet without its code.
struct SnippetEntry {
  std::string id = {};
  std::string name = {};
  std::string description = {};
  std::string language = {};
  std::vector<std::string> tags = {};
  std::string created = {};
  std::string updated = {};
  std::size_t bytes = 0;  // of the code
  std::size_t lines = 0;

  bool operator==(const SnippetEntry&) const = default;
};

struct SnippetList {
  std::vector<SnippetEntry> snippets = {};  // newest first: by the last save
  std::size_t total = 0;                    // how many there are beyond `most`, too
};

// Part of a Store, and used like it. What is saved or removed is on the disk when the function returns.
class Snippets {
 public:
  virtual ~Snippets() = default;

  // A snippet of the same name is replaced as a whole, and keeps its id and the time of its creation.
  // INVALID_ARGUMENT for what cannot be a name or is too long.
  [[nodiscard]] virtual Expected<SavedSnippet> save(const SnippetDraft& draft) = 0;
  // The same without saving.
  [[nodiscard]] virtual Expected<SavedSnippet> preview(const SnippetDraft& draft) = 0;
  // By name or, when there is none of that name, by id. NOT_FOUND names the nearest.
  [[nodiscard]] virtual Expected<Snippet> load(std::string_view name_or_id) = 0;
  [[nodiscard]] virtual Expected<SnippetList> list(const SnippetFilter& filter) = 0;
  // Returns what was there. NOT_FOUND names the nearest.
  [[nodiscard]] virtual Expected<Snippet> remove(std::string_view name_or_id) = 0;
};

// What is wrong with a draft; nothing when it can be saved. The tags come back without blanks and
// repetitions.
[[nodiscard]] Expected<SnippetDraft> checked(SnippetDraft draft);

}  // namespace helve::store
