// Makes several replacements in one file, all or none.
#include "helve/tool.h"
#include "toolkit/edit_text.h"

namespace helve::tools {

struct MultiEdit {
  static constexpr std::string_view kDescription =
      "Make several replacements in one file, in order, all or nothing.\n"
      "Each oldText must occur exactly once in the text as the earlier edits left it, unless replaceAll is "
      "set.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr std::string_view kData =
      "{path: string, replacements: integer, oldTextLength: integer, newTextLength: integer, diff: string, "
      "snippet: string, dryRun: boolean, diagnostics?: [any]}";
  static constexpr bool kHonoursStop = true;
  static constexpr bool kDryRuns = true;

  struct Params {
    std::string path;
    std::vector<toolkit::TextReplacement> edits;

    void describe(ParamSpec& p) {
      p.required("path", path, "File.", {.min_length = 1});
      p.required("edits", edits, "The replacements.", {.min_length = 1, .max_length = 1000});
    }
  };

  std::vector<Resource> resources(const Params& params) const { return {{"file:" + params.path}}; }

  Result execute(Context& context, const Params& params) const {
    return toolkit::edit_text(context,
                              {.tool = "multi_edit", .path = params.path, .replacements = params.edits});
  }
};

}  // namespace helve::tools
