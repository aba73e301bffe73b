// Reports the structure of one source file as JSON.
#include <algorithm>

#include "base/json_read.h"
#include "base/strings.h"
#include "code/outline.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/code_report.h"
#include "tools/analysis_json.h"

namespace helve::tools {

struct AnalyzeCode {
  static constexpr std::string_view kDescription =
      "Analyse a source file: imports, functions, classes, globals and cyclomatic complexity, as JSON.\n"
      "For a shorter overview use get_code_outline.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{path: string, language: string, totalLines: integer, leftOut?: string, imports: [string], "
      "functions: [any], classes: [any]}";
  static constexpr std::string_view kGroup = "code";
  static constexpr bool kHonoursStop = true;

  struct Params {
    std::string path;

    void describe(ParamSpec& p) { p.required("path", path, "Source file.", {.min_length = 1}); }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }
  Result execute(Context& context, const Params& params) const;
};

Result AnalyzeCode::execute(Context& context, const Params& params) const {
  auto file = toolkit::analyse_file(context, params.path, code::Depth::kDetails);
  if (!file) {
    if (context.engines().root.open_directory(params.path))
      return fail(ErrorCode::kInvalidArgument,
                  concat(params.path, " is a directory; analyze_code takes a file."),
                  "Use get_code_outline or find_symbols on the directory.");
    return fail(file.error());
  }
  const code::FileAnalysis& analysis = file->analysis;
  constexpr std::size_t kAlwaysShort = 4000;  // bytes; an answer that is longer is shorter than the file
  Json json = analysis_json_within(file->path, analysis, file->source.text,
                                   std::max(file->source.text.size(), kAlwaysShort));
  const std::string left_out(string_in(json, "leftOut"));
  std::size_t functions = 0;
  std::size_t classes = 0;
  for (const code::Symbol& symbol : analysis.symbols) {
    if (group_of(symbol.kind) == code::SymbolGroup::kFunctions) ++functions;
    if (has_members(symbol.kind) && symbol.kind != code::SymbolKind::kType &&
        symbol.kind != code::SymbolKind::kImpl)
      ++classes;
  }
  const std::string errors = describe_errors(analysis);
  return Output{
      .summary = concat(file->path, ": ", analysis.language, ", ", count_of(analysis.lines, "line"), ", ",
                        count_of(functions, "function"), ", ", count_of(classes, "class", "classes"),
                        ", complexity ", analysis.complexity, errors.empty() ? "" : "; ", errors,
                        left_out.empty() ? "" : "; left out: ", left_out),
      .content = to_text(json) + "\n",
      .data = std::move(json),
      .truncated = analysis.incomplete || !left_out.empty()};
}

}  // namespace helve::tools
