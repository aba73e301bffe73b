// Lets a person change a text in the editor of their choice.
#pragma once

#include <string>
#include <string_view>

#include "base/scratch_directory.h"
#include "helve/error.h"

namespace helve::cli {

// Runs a command of the person's, such as "code --wait", with the file as its last argument and the terminal
// to itself, and waits for its end; its exit code, as a shell tells it.
[[nodiscard]] Expected<int> run_on_file(const std::string& command, const std::string& path);

// A text in a private file of its own, which is gone at the end unless it is kept.
class EditedText {
 public:
  // `file_name` tells the editor what kind of text it is.
  [[nodiscard]] static Expected<EditedText> create(const std::string& file_name, std::string_view text);

  [[nodiscard]] const std::string& path() const { return path_; }
  // Runs $VISUAL, $EDITOR or vi, waits for its end, and returns the text then.
  [[nodiscard]] Expected<std::string> edit() const;
  // Leaves the file where it is, for a person who would lose their work otherwise; its path.
  const std::string& keep();

 private:
  explicit EditedText(ScratchDirectory directory) : directory_(std::move(directory)) {}

  ScratchDirectory directory_;
  std::string path_;
};

}  // namespace helve::cli
