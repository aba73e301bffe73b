// Finds where a symbol is defined, through the file's language server.
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/lsp_report.h"

namespace helve::tools {

struct GotoDefinition {
  static constexpr std::string_view kDescription =
      "Find where a symbol is defined, with a language server.\n"
      "Prefer symbol (parse, Class/method) to line and character.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{places: [{path: string, line: integer}], total: integer, partial: boolean}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  using Params = core::TargetParams;

  Result execute(Context& context, const Params& params) const {
    const auto target = params.target();
    if (!target) return fail(target.error());
    auto questions = core::language_questions(context);
    if (!questions) return fail(questions.error());
    const auto found = questions->definition(*target, core::patience_of(context));
    if (!found) return fail(found.error());
    return toolkit::report_places(*found, "definition");
  }
};

}  // namespace helve::tools
