// Tells what a path holds: a disk, the machine, the home directory, the workspace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/location.h"

namespace helve::policy {

// How much is lost with a path.
enum class Extent { kOrdinary, kWorkspace, kSystem };

// Judges paths as one command sees them. Paths are patterns as in line_values.h.
class CatastrophePlaces {
 public:
  CatastrophePlaces(std::string directory, const Surroundings& surroundings);

  // `within`: everything in the path is lost, too, if the path is a pattern for it (`/*`).
  [[nodiscard]] Extent extent_of(std::string_view pattern) const;
  // Whether the pattern stands for everything in its directory: `/etc/*`.
  [[nodiscard]] static bool is_everything_in(std::string_view pattern);
  [[nodiscard]] bool is_disk(std::string_view pattern) const;

 private:
  [[nodiscard]] std::optional<std::string> absolute_pattern(std::string_view pattern) const;

  std::string directory_;  // empty: unknown
  const Surroundings* surroundings_;
  std::vector<std::pair<std::string, Extent>> great_ = {};
};

}  // namespace helve::policy
