// Shows the structure of a source file, or the most important symbols of a directory.
#include "base/strings.h"
#include "base/utf8.h"
#include "code/outline.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "toolkit/code_report.h"

namespace helve::tools {

struct GetCodeOutline {
  static constexpr std::string_view kDescription =
      "Outline a source file as `first-last signature` lines, or map the most used symbols of a directory.\n"
      "Use it before you read a large file or enter a new code base, then read the lines it names.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData = "{path: string, definitions: integer}";
  static constexpr std::string_view kGroup = "code";
  static constexpr bool kHonoursStop = true;

  struct Params {
    std::string path;

    void describe(ParamSpec& p) {
      p.required("path", path, "Source file or directory; . is the workspace.", {.min_length = 1});
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }
  Result execute(Context& context, const Params& params) const;
};

namespace {

constexpr std::size_t kFileBytes = 20'000;
constexpr std::size_t kMapBytes = 12'000;  // about 3,000 tokens
constexpr std::size_t kMostInMap = 400;

Result outline_file(Context& context, const std::string& path) {
  const auto file = toolkit::analyse_file(context, path, code::Depth::kDetails);
  if (!file) return fail(file.error());
  const code::FileAnalysis& analysis = file->analysis;
  const code::Outline outline = code::make_outline(analysis, file->source.text, kFileBytes);
  std::string content =
      concat("# ", file->path, " (", analysis.language, ", ", count_of(analysis.lines, "line"), ")\n\n");
  if (!analysis.doc.empty())
    content += concat(shortened(analysis.doc.substr(0, analysis.doc.find("\n\n")), 300), "\n\n");
  if (!analysis.imports.empty())
    content += concat("imports: ", shortened(join(analysis.imports, "; "), 400), "\n\n");
  content += analysis.symbols.empty() ? "(no definitions)\n" : outline.text;
  std::vector<std::string> notes;
  if (!outline.left_out.empty())
    notes.push_back(
        concat("Left out for length: ", outline.left_out, ". find_symbols with a pattern shows them."));
  if (const std::string errors = describe_errors(analysis); !errors.empty()) notes.push_back(errors + ".");
  if (!notes.empty()) content += concat("\n", join(notes, "\n"), "\n");
  return Output{
      .summary = concat("Outline of ", file->path, ": ", count_of(analysis.symbols.size(), "definition"),
                        " in ", count_of(analysis.lines, "line")),
      .content = to_valid_utf8(content),
      .data = JsonObject{{"path", to_valid_utf8(file->path)},
                         {"language", analysis.language},
                         {"totalLines", analysis.lines},
                         {"definitions", analysis.symbols.size()},
                         {"notParsed", analysis.error_regions},
                         {"leftOut", outline.left_out}},
      .truncated = analysis.incomplete};
}

Result map_directory(Context& context, const std::string& name, const std::string& directory) {
  const auto index = toolkit::ask_index(context, directory);
  if (!index) return fail(index.error());
  std::size_t files = 0;
  std::size_t symbols = 0;
  for (const auto& file : index->view.state->files) {
    if (!index->filter.takes(*file) || !file->skipped.empty()) continue;
    ++files;
    symbols += file->symbols.size();
  }
  const auto ranked = code::rank_symbols(*index->view.state, index->filter, kMostInMap);
  toolkit::SourceReader reader(context.engines().root, index->prefix);
  const code::DirectoryMap map = code::draw_map(
      ranked, index->prefix, [&](const code::FoundSymbol& found) { return reader.signature(found); },
      kMapBytes);
  std::string content =
      concat("# ", name, " (", count_of(files, "source file"), ", ", with_thousands(symbols),
             symbols == 1 ? " definition)\n\n" : " definitions)\n\n");
  content += map.text;
  std::vector<std::string> notes;
  if (files == 0)
    notes.push_back(concat("No source files here that can be parsed. ", toolkit::describe_parsers()));
  if (map.symbols < symbols)
    notes.push_back(
        concat("Shown: the ", with_thousands(map.symbols), " most used of ", with_thousands(symbols),
               " definitions. get_code_outline of a file or a smaller directory shows more, code_query "
               "finds names."));
  notes.insert(notes.end(), index->notes.begin(), index->notes.end());
  if (!notes.empty()) content += concat("\n", join(notes, "\n"), "\n");
  return Output{.summary = concat("Map of ", name, ": ", count_of(map.symbols, "symbol"), " of ",
                                  with_thousands(symbols), " in ", count_of(files, "file")),
                .content = to_valid_utf8(content),
                .data = JsonObject{{"path", to_valid_utf8(name)},
                                   {"files", files},
                                   {"definitions", symbols},
                                   {"shown", map.symbols},
                                   {"complete", index->view.complete}},
                .truncated = !index->view.complete};
}

}  // namespace

Result GetCodeOutline::execute(Context& context, const Params& params) const {
  if (const auto directory = context.engines().root.open_directory(params.path))
    return map_directory(context, params.path, directory->path == "." ? "" : directory->path);
  return outline_file(context, params.path);
}

}  // namespace helve::tools
