// Shows the type and documentation of a symbol, through the file's language server.
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/lsp_report.h"

namespace helve::tools {

struct HoverInfo {
  static constexpr std::string_view kDescription =
      "Show the type, signature and documentation of a symbol with a language server.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData = "{text: string}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  using Params = core::TargetParams;

  Result execute(Context& context, const Params& params) const {
    const auto hover = core::ask_about(context, params, &lsp::Questions::hover);
    if (!hover) return fail(hover.error());
    return toolkit::report_hover(*hover);
  }
};

}  // namespace helve::tools
