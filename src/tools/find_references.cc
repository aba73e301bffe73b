// Finds all uses of a symbol, through the file's language server.
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/lsp_report.h"

namespace helve::tools {

struct FindReferences {
  static constexpr std::string_view kDescription =
      "Find every use of a symbol, and its definition, with a language server.\n"
      "Unlike grep, it distinguishes symbols that share a name.";
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
    const auto found = questions->references(*target, core::patience_of(context));
    if (!found) return fail(found.error());
    return toolkit::report_places(*found, "reference");
  }
};

}  // namespace helve::tools
