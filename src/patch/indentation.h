// Gives new text the indentation of a file, for edits whose old text matched except for white space.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace helve::patch {

// Which indentation of the file stands for which of the edit.
class Indentation {
 public:
  // A line of the edit, and the one of the file that it matches.
  void note(std::string_view wanted, std::string_view found);
  // Every line gets the file's indentation for its own, or for the beginning of its own.
  [[nodiscard]] std::string convert(std::string_view text) const;

 private:
  // How much deeper the file goes where the edit goes deeper; empty if no two lines show it.
  struct Step {
    std::string_view wanted = {};
    std::string_view found = {};
  };
  [[nodiscard]] Step step() const;
  [[nodiscard]] std::string convert_indent(std::string_view indent) const;

  std::map<std::string, std::string, std::less<>> known_;
};

}  // namespace helve::patch
