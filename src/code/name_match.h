// How well a name fits what somebody typed: exactly, as a prefix, by its humps, or nearly.
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
  int score = 0;  // the larger the better
};

// A query made ready: `Store.open`, `Store::open`, `Store/open`, `openStore`, `os`. Const from all threads.
class NameQuery {
 public:
  explicit NameQuery(std::string_view text);

  // For file names, in which a full stop separates nothing.
  [[nodiscard]] static NameQuery of_file(std::string_view text);

  // Nothing when the name does not fit. `container` has dots between its parts. Slips of the hand cost much
  // more to find than all else.
  enum class Slips { kForgive, kIgnore };
  [[nodiscard]] std::optional<NameScore> match(std::string_view name, std::string_view container,
                                               Slips slips = Slips::kForgive) const;
  // The last part of what was typed.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void set_name(std::string name);

  std::string name_;
  std::string lower_;    // letters in lower case
  std::string letters_;  // without _ and -, in lower case
  std::uint32_t letter_set_ = 0;
  std::string container_;  // in lower case, with dots; empty: any
};

}  // namespace helve::code
