// Lists the symbols of a file or of a directory tree.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "code/outline.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "regex/regex.h"
#include "toolkit/code_report.h"

namespace helve::tools {

struct FindSymbols {
  static constexpr std::string_view kDescription =
      "List the functions, classes and variables defined in a file or directory tree.\n"
      "Skips local variables. If you know a name only roughly, use code_query.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{symbols: [{name: string, kind: string, file: string, line: integer}], total: integer, complete: "
      "boolean}";
  static constexpr std::string_view kGroup = "code";
  static constexpr bool kHonoursStop = true;

  enum class Type { kAll, kFunction, kClass, kVariable };
  friend constexpr auto enum_names(Type) {
    return std::to_array<std::string_view>({"all", "function", "class", "variable"});
  }

  struct Params {
    std::string path;
    Type symbol_type = Type::kAll;
    std::string pattern;

    void describe(ParamSpec& p) {
      p.required("path", path, "File or directory; . is the workspace.", {.min_length = 1});
      p.optional("symbolType", symbol_type,
                 "function includes methods and macros; class includes structs, interfaces, enums and types; "
                 "variable "
                 "includes fields and constants.");
      p.optional("pattern", pattern, "Regular expression to find in the name: ^get, (?i)user.",
                 {.max_length = 10'000});
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }
  Result execute(Context& context, const Params& params) const;
};

namespace {

constexpr std::size_t kMostShown = 200;

std::optional<code::SymbolGroup> group_for(FindSymbols::Type type) {
  switch (type) {
    case FindSymbols::Type::kAll: return std::nullopt;
    case FindSymbols::Type::kFunction: return code::SymbolGroup::kFunctions;
    case FindSymbols::Type::kClass: return code::SymbolGroup::kClasses;
    case FindSymbols::Type::kVariable: return code::SymbolGroup::kVariables;
  }
  return std::nullopt;
}

// One file, also one that is not indexed.
Expected<toolkit::IndexAnswer> only_file(Context& context, const std::string& path) {
  const workspace::Root& root = context.engines().root;
  auto opened = root.open_read(path);
  if (!opened) return fail(opened.error());
  const auto analysed = toolkit::analyse_file(context, path, code::Depth::kNames);  // its error says why
  if (!analysed) return fail(analysed.error());
  const auto bytes = workspace::read_content(*opened, code::kLargestSource);
  if (!bytes) return fail(bytes.error());
  auto file = std::make_shared<code::IndexedFile>(code::index_file(
      analysed->path, *bytes, code::stamp_of(opened->status), [&] { return context.should_stop(); }));
  auto state = std::make_shared<code::IndexState>();
  state->files.push_back(std::move(file));
  toolkit::IndexAnswer answer;
  answer.view.state = std::move(state);
  if (const std::string errors = describe_errors(analysed->analysis); !errors.empty())
    answer.notes.push_back(errors + ".");
  return answer;
}

std::string head_of(const code::FoundSymbol& found, toolkit::SourceReader& reader) {
  const std::string_view container = found.container();
  return concat("  ", code::line_range(found.symbol->line, found.symbol->end_line), " ",
                to_string(found.symbol->kind), " ", container.empty() ? "" : concat(container, "."),
                found.name(), ": ", reader.signature(found), "\n");
}

}  // namespace

Result FindSymbols::execute(Context& context, const Params& params) const {
  auto regex = regex::Regex::compile(params.pattern);
  if (!regex) return fail(regex.error());
  const auto directory = context.engines().root.open_directory(params.path);
  auto index = directory ? toolkit::ask_index(context, directory->path == "." ? "" : directory->path)
                         : only_file(context, params.path);
  if (!index) return fail(index.error());
  index->filter.group = group_for(params.symbol_type);

  regex::Finder finder(*regex);
  std::vector<code::FoundSymbol> found;
  std::size_t total = 0;
  std::size_t files = 0;
  for (const auto& file : index->view.state->files) {
    if (!index->filter.takes(*file)) continue;
    bool any = false;
    for (const code::IndexedSymbol& symbol : file->symbols) {
      if (!index->filter.takes(symbol) || !finder.matches(file->name_of(symbol))) continue;
      ++total;
      any = true;
      if (found.size() < kMostShown) found.push_back({.file = file, .symbol = &symbol});
    }
    files += any ? 1 : 0;
    if (context.should_stop()) return fail(context.stop_error());
  }

  toolkit::SourceReader reader(context.engines().root, index->prefix);
  std::string content;
  JsonArray symbols;
  const code::IndexedFile* last = nullptr;
  for (const code::FoundSymbol& one : found) {
    const std::string path = to_valid_utf8(concat(index->prefix, one.file->path));
    if (last != one.file.get()) content += concat(last == nullptr ? "" : "\n", path, "\n");
    last = one.file.get();
    content += head_of(one, reader);
    JsonObject json{{"name", to_valid_utf8(one.name())},
                    {"kind", to_string(one.symbol->kind)},
                    {"file", path},
                    {"line", one.symbol->name_line},
                    {"column", one.symbol->column},
                    {"endLine", one.symbol->end_line}};
    if (!one.container().empty()) json.append("container", to_valid_utf8(one.container()));
    symbols.emplace_back(std::move(json));
  }
  std::string summary = concat("Found ", count_of(total, "symbol"), " in ", count_of(files, "file"));
  std::vector<std::string> notes = index->notes;
  if (total == 0) {
    summary =
        concat("No symbol",
               params.pattern.empty() ? "" : concat(" matches \"", shortened(params.pattern, 100), "\""),
               " in ", params.path);
    notes.insert(notes.begin(), summary + ".");
    code::SymbolFilter any_kind = index->filter;
    any_kind.group.reset();
    const auto near = code::near_names(*index->view.state, params.pattern, any_kind);
    if (!near.empty())
      notes.insert(notes.begin() + 1, concat("Names that are near: ", join(near, ", "), "."));
    if (index->view.state->files.empty() && directory) notes.push_back(toolkit::describe_parsers());
  }
  if (total > found.size()) {
    summary = concat("The first ", with_thousands(found.size()), " of ", count_of(total, "symbol"), " in ",
                     count_of(files, "file"));
    notes.insert(notes.begin(), summary + ". A pattern, a symbolType or a smaller path shows the rest.");
  }
  if (!notes.empty()) content += concat(content.empty() ? "" : "\n", join(notes, "\n"), "\n");
  return Output{.summary = std::move(summary),
                .content = to_valid_utf8(content),
                .data = JsonObject{{"symbols", std::move(symbols)},
                                   {"total", total},
                                   {"files", files},
                                   {"complete", index->view.complete}},
                .truncated = total > found.size() || !index->view.complete};
}

}  // namespace helve::tools
