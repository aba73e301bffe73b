// Opens text in the user's editor.
#pragma once

#include <string>
#include <string_view>

#include "base/scratch_directory.h"
#include "helve/error.h"

namespace helve::cli {

// Runs the user's command, such as "code --wait", with the file as its last argument, and waits for it.
// Returns the exit code as a shell reports it.
[[nodiscard]] Expected<int> run_on_file(const std::string& command, const std::string& path);

// Text in a private temporary file, which is removed unless keep() is called.
class EditedText {
 public:
  // The extension of `file_name` tells the editor the language.
  [[nodiscard]] static Expected<EditedText> create(const std::string& file_name, std::string_view text);

  [[nodiscard]] const std::string& path() const { return path_; }
  // Runs $VISUAL, $EDITOR or vi, waits for it, and returns the edited text.
  [[nodiscard]] Expected<std::string> edit() const;
  // Keeps the file, so that no work is lost. Returns its path.
  const std::string& keep();

 private:
  explicit EditedText(ScratchDirectory directory) : directory_(std::move(directory)) {}

  ScratchDirectory directory_;
  std::string path_;
};

}  // namespace helve::cli
