// Formats a file as its language server would.
#include "base/strings.h"
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/proposed_edits.h"

namespace helve::tools {

struct LspFormat {
  static constexpr std::string_view kDescription =
      "Format a file with its language server.\n"
      "To use the project's formatter call format_code.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData = "{edits: integer, diff: string, dryRun: boolean}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kOptIn = true;
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;
  static constexpr bool kIdempotent = true;

  struct Params {
    std::string path;

    void describe(ParamSpec& p) { p.required("path", path, "File.", {.min_length = 1}); }
  };

  std::vector<Resource> resources(const Params& params) const { return {{"file:" + params.path}}; }

  Result execute(Context& context, const Params& params) const {
    auto questions = core::language_questions(context);
    if (!questions) return fail(questions.error());
    return toolkit::make_proposed_edits(
        context, {.tool = "lsp_format",
                  .plan = [&] { return questions->format(params.path, core::patience_of(context)); },
                  .title =
                      [&](const lsp::PlannedEdits&) {
                        return concat(context.dry_run() ? "would format " : "Formatted ", params.path);
                      }});
  }
};

}  // namespace helve::tools
