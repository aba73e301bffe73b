// A command line with placeholders for parameters. No shell is involved, so a value always stays within one
// argument.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "plugins/manifest.h"

namespace helve::plugins {

// Made once per tool. May be used from several threads at once.
class CommandTemplate {
 public:
  // Placeholders are {name}; {{ and }} are literal braces. The program itself must be literal. A nested list
  // of elements is omitted if one of its parameters has no value.
  [[nodiscard]] static Expected<CommandTemplate> parse(const PluginTool& tool);

  struct Filled {
    std::vector<std::string> arguments;  // the program as in the manifest, then its arguments
    std::string input;
  };
  // `arguments` must be validated, with paths relative to the workspace. Refuses values that would be read as
  // options.
  [[nodiscard]] Expected<Filled> fill(const Json& arguments) const;

  [[nodiscard]] const std::string& program() const { return program_; }

 private:
  // A literal text or a placeholder.
  struct Piece {
    std::string text;
    const PluginParameter* parameter = nullptr;  // in parameters_
  };
  using Element = std::vector<Piece>;
  using Group = std::vector<Element>;  // included or omitted as a whole

  [[nodiscard]] Expected<Element> parse_element(std::string_view text) const;
  [[nodiscard]] Expected<void> fill_element(const Element& element, const Json& arguments,
                                            std::vector<std::string>& out) const;

  std::string program_;
  std::shared_ptr<const std::vector<PluginParameter>> parameters_;  // pieces point into it
  std::vector<Group> groups_;
  Element input_;
};

}  // namespace helve::plugins
