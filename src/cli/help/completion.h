// Completes command lines: commands, tools, flags and values.
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
  bool files = false;  // also offer file names
};

// Names that are only known at run time; requested only when needed.
struct CompletionNames {
  std::function<std::vector<Suggestion>()> settings = {};
  std::function<std::vector<Suggestion>()> snippets = {};
};

// `words` follow "helve"; the last one is incomplete and may be empty.
[[nodiscard]] Suggestions complete(const std::vector<std::unique_ptr<Command>>& commands,
                                   const Registry& tools, std::span<const std::string> words,
                                   const CompletionNames& names = {});

}  // namespace helve::cli
