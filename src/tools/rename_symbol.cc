// Renames a symbol everywhere, as one undoable change.
#include "base/strings.h"
#include "core/language_servers.h"
#include "helve/tool.h"
#include "toolkit/proposed_edits.h"

namespace helve::tools {

struct RenameSymbol {
  static constexpr std::string_view kDescription =
      "Rename a symbol in all files of the project with a language server, as one change.\n"
      "Refuses, and lists the places, if code has the name where the server would not rename it.\n"
      "Try dryRun first. Does not change comments and strings.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{files: [{path: string, edits: integer}], diff: string, dryRun: boolean}";
  static constexpr std::string_view kGroup = "lsp";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;

  struct Params {
    core::TargetParams target;
    std::string new_name;
    bool leave_unconfirmed = false;

    void describe(ParamSpec& p) {
      target.describe(p);
      p.required("newName", new_name, "New name.", {.min_length = 1, .max_length = 500});
      p.optional("leaveUnconfirmed", leave_unconfirmed,
                 "Rename although a refusal listed places, and leave those unchanged.");
    }
  };

  Result execute(Context& context, const Params& params) const {
    const auto target = params.target.target();
    if (!target) return fail(target.error());
    auto questions = core::language_questions(context);
    if (!questions) return fail(questions.error());
    return toolkit::make_proposed_edits(
        context, {.tool = "rename_symbol",
                  .plan =
                      [&] {
                        using At = lsp::Questions::AtUnconfirmed;
                        return questions->rename(*target, params.new_name,
                                                 params.leave_unconfirmed ? At::kLeave : At::kRefuse,
                                                 core::patience_of(context));
                      },
                  .title =
                      [&](const lsp::PlannedEdits& planned) {
                        return concat(context.dry_run() ? "would rename " : "Renamed ", planned.old_name,
                                      " to ", params.new_name);
                      }});
  }
};

}  // namespace helve::tools
