// Matches names against a typed query: exact, prefix, word beginnings (humps) or with typos.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve::code {

enum class NameFit { kExact, kSameLetters, kPrefix, kHumps, kPart, kLoose, kTypo };
// "exact", "prefix", …
[[nodiscard]] std::string_view to_string(NameFit fit);

struct NameScore {
  NameFit fit = NameFit::kExact;
  int score = 0;  // larger is better
};

// A parsed query such as `Store.open`, `Store::open`, `Store/open`, `openStore` or `os`. Immutable.
class NameQuery {
 public:
  explicit NameQuery(std::string_view text);

  // For file names, in which a dot is not a separator.
  [[nodiscard]] static NameQuery of_file(std::string_view text);

  // Returns nothing if the name does not match. The parts of `container` are separated by dots. Matching
  // typos is much more expensive than everything else.
  enum class Typos { kForgive, kIgnore };
  [[nodiscard]] std::optional<NameScore> match(std::string_view name, std::string_view container,
                                               Typos slips = Typos::kForgive) const;
  // The last part of the query.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void set_name(std::string name);

  std::string name_;
  std::string lower_;    // in lower case
  std::string letters_;  // without _ and -, in lower case
  std::uint32_t letter_set_ = 0;
  std::string container_;  // in lower case, with dots; empty means any
};

}  // namespace helve::code
