// The folders whose own configuration the person has decided to trust.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"

namespace helve::settings {

// Kept in the state directory, where no tool can write. Not for use from several threads.
class TrustedFolders {
 public:
  explicit TrustedFolders(const std::string& state_directory);

  [[nodiscard]] Expected<std::vector<std::string>> list() const;
  // `folder` is a real path.
  [[nodiscard]] Expected<bool> contains(const std::string& folder) const;
  [[nodiscard]] Expected<void> add(const std::string& folder);
  // False when it was not there.
  [[nodiscard]] Expected<bool> remove(const std::string& folder);

 private:
  [[nodiscard]] Expected<void> save(const std::vector<std::string>& folders) const;

  std::string directory_;
  std::string path_;
};

}  // namespace helve::settings
