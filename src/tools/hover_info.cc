// Shows the type and documentation of a symbol, through the file's language server.
#include "core/language_servers.h"
#include "core/lsp_report.h"
#include "helve/tool.h"

namespace helve::tools {

struct HoverInfo {
  static constexpr std::string_view kDescription =
      "Show the type, signature and documentation of the symbol at a position, or of a name.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData = "{text: string}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  using Params = TargetParams;

  Result execute(Context& context, const Params& params) const {
    const auto target = params.target();
    if (!target) return fail(target.error());
    auto questions = language_questions(context);
    if (!questions) return fail(questions.error());
    const auto hover = questions->hover(*target, patience_of(context));
    if (!hover) return fail(hover.error());
    return report_hover(*hover);
  }
};

}  // namespace helve::tools
