// Records the changes of `helve init`, so that `helve init --remove` reverts exactly those.
#pragma once

#include <string>
#include <vector>

#include "cli/init/text_splice.h"
#include "helve/error.h"

namespace helve::cli {

struct InitRecord {
  std::string file;  // without links
  Splice splice;
  bool created = false;                  // there was no file before
  std::vector<std::string> directories;  // that were made for it

  // The text without the change, if the change is still recognisable.
  [[nodiscard]] std::vector<std::string> undone(const std::string& text) const;
};

// Stored in the state directory, readable only by the user. At most one record per file.
class InitRecords {
 public:
  explicit InitRecords(const std::string& state_directory) : path_(state_directory + "/init.json") {}

  [[nodiscard]] Expected<void> load();
  [[nodiscard]] const InitRecord* find(const std::string& file) const;
  [[nodiscard]] Expected<void> keep(InitRecord record);
  [[nodiscard]] Expected<void> forget(const std::string& file);

 private:
  [[nodiscard]] Expected<void> save() const;

  std::string path_;
  std::vector<InitRecord> records_;
};

}  // namespace helve::cli
