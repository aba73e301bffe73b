// Replaces an exact piece of text in a file.
#include "base/strings.h"
#include "helve/tool.h"
#include "toolkit/edit_text.h"

namespace helve::tools {

struct Edit {
  static constexpr std::string_view kDescription =
      "Replace text in a file. oldText must occur exactly once, including white space.\n"
      "Read the file first. For several changes in one file use multi_edit.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{path: string, replacements: integer, oldTextLength: integer, newTextLength: integer, diff: string, "
      "snippet: string, dryRun: boolean, diagnostics?: [any]}";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;

  struct Params {
    std::string path;
    toolkit::TextReplacement replacement;
    bool allow_multiple = false;

    void describe(ParamSpec& p) {
      p.required("path", path, "File, relative to the workspace.", {.min_length = 1});
      replacement.describe(p);
      p.optional("allowMultiple", allow_multiple, "Accept several matches and replace only the first.");
    }
  };

  std::vector<Resource> resources(const Params& params) const { return {{"file:" + params.path}}; }

  Result execute(Context& context, const Params& params) const {
    return toolkit::edit_text(context, {.tool = "edit",
                                        .path = params.path,
                                        .replacements = {params.replacement},
                                        .first_only = params.allow_multiple});
  }
};

}  // namespace helve::tools
