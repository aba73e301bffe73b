// Lists the errors and warnings of a file as it is now, through its language server.
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/lsp_report.h"

namespace helve::tools {

struct GetDiagnostics {
  static constexpr std::string_view kDescription =
      "List the errors and warnings that the language server reports for a file.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{diagnostics: [{line: integer, severity: string, message: string}], total: integer}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  struct Params {
    std::string path;

    void describe(ParamSpec& p) { p.required("path", path, "File.", {.min_length = 1}); }
  };

  Result execute(Context& context, const Params& params) const {
    auto questions = core::language_questions(context);
    if (!questions) return fail(questions.error());
    const auto found = questions->diagnostics(params.path, core::patience_of(context));
    if (!found) return fail(found.error());
    return toolkit::report_diagnostics(*found);
  }
};

}  // namespace helve::tools
