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
  static constexpr std::string_view kData = toolkit::kPlacesData;
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  using Params = core::TargetParams;

  Result execute(Context& context, const Params& params) const {
    const auto found = core::ask_about(context, params, &lsp::Questions::definition);
    if (!found) return fail(found.error());
    return toolkit::report_places(*found, "definition");
  }
};

}  // namespace helve::tools
