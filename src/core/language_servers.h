// How tools reach the language servers of the workspace.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/engines.h"
#include "helve/context.h"
#include "helve/params.h"
#include "lsp/questions.h"
#include "lsp/servers.h"

namespace helve {

// None is started before it is asked something. The engines must outlive it.
[[nodiscard]] std::shared_ptr<lsp::Servers> make_language_servers(Engines& engines);

// For one call. UNAVAILABLE where the engines were made without servers.
[[nodiscard]] Expected<lsp::Questions> language_questions(const Context& context);
[[nodiscard]] lsp::Patience patience_of(const Context& context);

// What the tools that ask about a symbol take.
struct TargetParams {
  std::string path;
  std::optional<int> line;
  std::optional<int> character;
  std::string symbol;

  void describe(ParamSpec& p) {
    p.required("path", path, "File, relative to the workspace.", {.min_length = 1});
    p.optional("line", line, "Line of the symbol, counting from 0.", {.min = 0});
    p.optional("character", character, "Column of the symbol on that line, counting from 0.", {.min = 0});
    p.optional(
        "symbol", symbol,
        "Name of the symbol instead of a position: parse, or Class/method. Looked for in the file, then "
        "in the workspace.");
  }
  [[nodiscard]] Expected<lsp::Target> target() const;
};

}  // namespace helve
