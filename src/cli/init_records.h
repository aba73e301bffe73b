// What `helve init` has changed, so that `helve init --remove` takes back exactly that.
#pragma once

#include <string>
#include <vector>

#include "cli/text_splice.h"
#include "helve/error.h"

namespace helve::cli {

struct InitRecord {
  std::string file;  // without links
  Splice splice;
  bool created = false;                  // there was no file before
  std::vector<std::string> directories;  // that were made for it

  // The text as it would be if the change had never been made, as far as the change can still be seen in it.
  [[nodiscard]] std::vector<std::string> undone(const std::string& text) const;
};

// In a file of the state directory, for the user alone. At most one record per file.
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
