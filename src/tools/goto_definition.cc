// Finds where a symbol is defined, through the file's language server.
#include "core/language_servers.h"
#include "core/lsp_report.h"
#include "helve/tool.h"

namespace helve::tools {

struct GotoDefinition {
  static constexpr std::string_view kDescription =
      "Find where the symbol at a position, or of a name, is defined, through a language server.\n"
      "Prefer symbol (parse, or Class/method) to line and character, which count from 0.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{places: [{path: string, line: integer}], total: integer, partial: boolean}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  using Params = TargetParams;

  Result execute(Context& context, const Params& params) const {
    const auto target = params.target();
    if (!target) return fail(target.error());
    auto questions = language_questions(context);
    if (!questions) return fail(questions.error());
    const auto found = questions->definition(*target, patience_of(context));
    if (!found) return fail(found.error());
    return report_places(*found, "definition");
  }
};

}  // namespace helve::tools
