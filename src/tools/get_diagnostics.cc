// Lists the errors and warnings of a file as it is now, through its language server.
#include "core/language_servers.h"
#include "core/lsp_report.h"
#include "helve/tool.h"

namespace helve::tools {

struct GetDiagnostics {
  static constexpr std::string_view kDescription =
      "List the errors and warnings that a language server finds in a file as it is now.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{diagnostics: [{line: integer, severity: string, message: string}], total: integer}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  struct Params {
    std::string path;

    void describe(ParamSpec& p) {
      p.required("path", path, "File, relative to the workspace.", {.min_length = 1});
    }
  };

  Result execute(Context& context, const Params& params) const {
    auto questions = language_questions(context);
    if (!questions) return fail(questions.error());
    const auto found = questions->diagnostics(params.path, patience_of(context));
    if (!found) return fail(found.error());
    return report_diagnostics(*found);
  }
};

}  // namespace helve::tools
