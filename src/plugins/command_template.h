// A command line with places for parameters. It never meets a shell: what a parameter holds is part of one
// argument, whatever is in it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "plugins/manifest.h"

namespace helve::plugins {

// Made once for a tool; used from many threads at once.
class CommandTemplate {
 public:
  // Places are {name}; {{ and }} stand for braces. The program itself has no places. An element that is a
  // list of elements is left out as a whole when one of its parameters is.
  [[nodiscard]] static Expected<CommandTemplate> parse(const PluginTool& tool);

  struct Filled {
    std::vector<std::string> arguments;  // the program first, as the manifest has it
    std::string input;
  };
  // With validated arguments; paths were made relative to the workspace. Refuses what would be taken for an
  // option.
  [[nodiscard]] Expected<Filled> fill(const Json& arguments) const;

  [[nodiscard]] const std::string& program() const { return program_; }

 private:
  // A text, or the place of a parameter.
  struct Piece {
    std::string text;
    const PluginParameter* parameter = nullptr;  // in parameters_
  };
  using Element = std::vector<Piece>;
  using Group = std::vector<Element>;  // is there as a whole or not at all

  [[nodiscard]] Expected<Element> parse_element(std::string_view text) const;
  [[nodiscard]] Expected<void> fill_element(const Element& element, const Json& arguments,
                                            std::vector<std::string>& out) const;

  std::string program_;
  std::shared_ptr<const std::vector<PluginParameter>> parameters_;  // pieces point into it
  std::vector<Group> groups_;
  Element input_;
};

}  // namespace helve::plugins
