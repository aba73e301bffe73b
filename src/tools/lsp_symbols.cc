// Lists the symbols of a file, or looks for one in the project, through a language server.
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/lsp_report.h"

namespace helve::tools {

struct LspSymbols {
  static constexpr std::string_view kDescription =
      "Search the project's symbols by name, or list those of one file, with a language server.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{symbols: [{name: string, path: string, line: integer}], total: integer}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  struct Params {
    std::string query;
    std::string path = ".";

    void describe(ParamSpec& p) {
      p.optional("query", query, "Name or part of it. Without it, path must be a file.");
      p.optional("path", path, "A file of the project, or a directory.", {.min_length = 1});
    }
  };

  Result execute(Context& context, const Params& params) const {
    auto questions = core::language_questions(context);
    if (!questions) return fail(questions.error());
    const auto found = questions->symbols(params.query, params.path, core::patience_of(context));
    if (!found) return fail(found.error());
    return toolkit::report_symbols(*found, params.query);
  }
};

}  // namespace helve::tools
