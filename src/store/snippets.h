// The interface for snippets: named pieces of code that a user or a model saves.
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
  std::string id = {};  // snp_ and random characters; never changes
  std::string name = {};
  std::string code = {};
  std::string description = {};
  std::string language = {};
  std::vector<std::string> tags = {};
  std::string created = {};  // 2026-11-15T03:42:07.123Z
  std::string updated = {};

  bool operator==(const Snippet&) const = default;
};

// A snippet to be saved.
struct SnippetDraft {
  std::string name = {};
  std::string code = {};
  std::string description = {};
  std::string language = {};
  std::vector<std::string> tags = {};
};

struct SavedSnippet {
  Snippet snippet;
  std::optional<Snippet> before = {};  // the replaced snippet
};

// All set members must match.
struct SnippetFilter {
  std::vector<std::string> tags = {};       // all of them, ignoring case
  std::vector<std::string> languages = {};  // any of them, ignoring case
  // Word prefixes that must all occur in name, description, tags or code, in any order. Identifiers are
  // split, so "parse json" finds parseJson and parse_json.
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
  std::vector<SnippetEntry> snippets = {};  // last saved first
  std::size_t total = 0;                    // number of matches, not limited by `most`
};

// Part of a Store, with the same thread rules. Changes are on disk when the function returns.
class Snippets {
 public:
  virtual ~Snippets() = default;

  // Replaces a snippet of the same name completely, except for its id and creation time.
  // Fails with INVALID_ARGUMENT for an invalid name or a text that is too long.
  [[nodiscard]] virtual Expected<SavedSnippet> save(const SnippetDraft& draft) = 0;
  // The result that save() would return, without saving.
  [[nodiscard]] virtual Expected<SavedSnippet> preview(const SnippetDraft& draft) = 0;
  // By name or, if no name matches, by id. NOT_FOUND suggests the nearest names.
  [[nodiscard]] virtual Expected<Snippet> load(std::string_view name_or_id) = 0;
  [[nodiscard]] virtual Expected<SnippetList> list(const SnippetFilter& filter) = 0;
  // Returns the removed snippet. NOT_FOUND suggests the nearest names.
  [[nodiscard]] virtual Expected<Snippet> remove(std::string_view name_or_id) = 0;
};

// Validates a draft. Trims its texts and removes empty and duplicate tags.
[[nodiscard]] Expected<SnippetDraft> checked(SnippetDraft draft);

// Counts a last line without a line break, too.
[[nodiscard]] std::size_t count_lines(std::string_view text);

}  // namespace helve::store
