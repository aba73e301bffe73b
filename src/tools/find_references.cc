// Finds all uses of a symbol, through the file's language server.
#include "core/language_servers.h"
#include "core/lsp_report.h"
#include "helve/tool.h"

namespace helve::tools {

struct FindReferences {
  static constexpr std::string_view kDescription =
      "Find every use of the symbol at a position, or of a name, through a language server; its definition, "
      "too.\n"
      "Knows what grep does not: which of the things of one name is meant.";
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
    const auto found = questions->references(*target, patience_of(context));
    if (!found) return fail(found.error());
    return report_places(*found, "reference");
  }
};

}  // namespace helve::tools
