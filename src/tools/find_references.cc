// Finds all uses of a symbol, through the file's language server.
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/lsp_report.h"

namespace helve::tools {

struct FindReferences {
  static constexpr std::string_view kDescription =
      "Find every use of a symbol, and its definition, with a language server.\n"
      "Unlike grep, it distinguishes symbols that share a name. Lists places with the name that the server "
      "does not account for as not confirmed.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData = toolkit::kReferencesData;
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;

  using Params = core::TargetParams;

  Result execute(Context& context, const Params& params) const {
    const auto found = core::ask_about(context, params, &lsp::Questions::references);
    if (!found) return fail(found.error());
    return toolkit::report_references(*found);
  }
};

}  // namespace helve::tools
