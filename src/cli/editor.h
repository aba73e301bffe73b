// Lets a person change a text in the editor of their choice.
#pragma once

#include <string>
#include <string_view>

#include "base/scratch_directory.h"
#include "helve/error.h"

namespace helve::cli {

// A text in a private file of its own, which is gone at the end unless it is kept.
class EditedText {
 public:
  // `file_name` tells the editor what kind of text it is.
  [[nodiscard]] static Expected<EditedText> create(const std::string& file_name, std::string_view text);

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
