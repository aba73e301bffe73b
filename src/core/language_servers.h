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

namespace helve::core {

// Each server starts with the first question to it. The engines must outlive the result.
[[nodiscard]] std::shared_ptr<lsp::Servers> make_language_servers(Engines& engines);

// For one call. UNAVAILABLE if the engines have no servers.
[[nodiscard]] Expected<lsp::Questions> language_questions(const Context& context);
[[nodiscard]] lsp::WaitLimit patience_of(const Context& context);

// The parameters of tools that ask about a symbol.
struct TargetParams {
  std::string path;
  std::optional<int> line;
  std::optional<int> character;
  std::string symbol;

  void describe(ParamSpec& p) {
    p.required("path", path, "File.", {.min_length = 1});
    p.optional("line", line, "Line, from 0.", {.min = 0});
    p.optional("character", character, "Column, from 0.", {.min = 0});
    p.optional(
        "symbol", symbol,
        "Name instead of a position: parse, Class/method. Searched in the file, then in the workspace.");
  }
  [[nodiscard]] Expected<lsp::Target> target() const;
};

// Asks about the symbol that the parameters name: ask_about(context, params, &lsp::Questions::hover).
template <class Found>
[[nodiscard]] Expected<Found> ask_about(const Context& context, const TargetParams& params,
                                        Expected<Found> (lsp::Questions::*question)(const lsp::Target&,
                                                                                    const lsp::WaitLimit&)) {
  const auto target = params.target();
  if (!target) return fail(target.error());
  auto questions = language_questions(context);
  if (!questions) return fail(questions.error());
  return ((*questions).*question)(*target, patience_of(context));
}

}  // namespace helve::core
