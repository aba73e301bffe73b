// What can come next on a command line: commands, tools, their flags and values.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "helve/registry.h"

namespace helve::cli {

struct Suggestion {
  std::string text;
  std::string description;
};

struct Suggestions {
  std::vector<Suggestion> entries;
  bool files = false;  // file names fit as well
};

// What is not known from descriptions; asked for only when it may come next.
struct CompletionNames {
  std::function<std::vector<Suggestion>()> settings = {};
  std::function<std::vector<Suggestion>()> snippets = {};
};

// `words` are those after "helve"; the last one is being typed and may be empty.
[[nodiscard]] Suggestions complete(const std::vector<std::unique_ptr<Command>>& commands,
                                   const Registry& tools, std::span<const std::string> words,
                                   const CompletionNames& names = {});

}  // namespace helve::cli
