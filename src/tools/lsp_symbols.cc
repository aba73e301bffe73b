// Lists the symbols of a file, or looks for one in the project, through a language server.
#include "core/language_servers.h"
#include "core/lsp_report.h"
#include "helve/tool.h"

namespace helve::tools {

struct LspSymbols {
  static constexpr std::string_view kDescription =
      "Look for symbols of the project by name, or list those of one file, through a language server.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{symbols: [{name: string, path: string, line: integer}], total: integer}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  struct Params {
    std::string query;
    std::string path = ".";

    void describe(ParamSpec& p) {
      p.optional("query", query, "Name, or a part of it; without one, path has to be a file.");
      p.optional("path", path, "File whose project to search, or a directory.", {.min_length = 1});
    }
  };

  Result execute(Context& context, const Params& params) const {
    auto questions = language_questions(context);
    if (!questions) return fail(questions.error());
    const auto found = questions->symbols(params.query, params.path, patience_of(context));
    if (!found) return fail(found.error());
    return report_symbols(*found, params.query);
  }
};

}  // namespace helve::tools
