// Finds definitions in the whole workspace by name, also when the name is known only roughly.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "search/find.h"
#include "search/grep.h"
#include "toolkit/code_report.h"
#include "tools/code_matches.h"

namespace helve::tools {

struct CodeQuery {
  static constexpr std::string_view kDescription =
      "Find definitions by name: exact, prefix, initials (SymInd for SymbolIndex) or misspelt.\n"
      "Container.name narrows the search. Shows the code, best match first. Use grep to find uses.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{results: [{file: string, line: integer, match: string}], total: integer, complete: boolean}";
  static constexpr std::string_view kGroup = "code";
  static constexpr bool kHonoursStop = true;

  enum class Type { kAll, kFunction, kClass, kVariable, kFile };
  friend constexpr auto enum_names(Type) {
    return std::to_array<std::string_view>({"all", "function", "class", "variable", "file"});
  }

  struct Params {
    std::string query;
    Type type = Type::kAll;
    std::string path = ".";

    void describe(ParamSpec& p) {
      p.required("query", query, "Name or part of it: parseConfig, Store.open, store_op.",
                 {.min_length = 1, .max_length = 300});
      p.optional("type", type, "Kind of definition; file matches file names.");
      p.optional("path", path, "Directory to search.", {.min_length = 1});
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }
  Result execute(Context& context, const Params& params) const;
};

namespace {

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kMostLines = 10;

std::optional<code::SymbolGroup> group_for(CodeQuery::Type type) {
  switch (type) {
    case CodeQuery::Type::kFunction: return code::SymbolGroup::kFunctions;
    case CodeQuery::Type::kClass: return code::SymbolGroup::kClasses;
    case CodeQuery::Type::kVariable: return code::SymbolGroup::kVariables;
    default: return std::nullopt;
  }
}

Expected<std::vector<FoundPath>> find_paths(Context& context, const CodeQuery::Params& params,
                                            const std::string& directory, std::size_t most) {
  const auto hidden = context.engines().rules->hidden();
  search::FindQuery query{.globs = {"*"}, .path = directory, .most_results = 1'000'000, .details = false};
  query.rule_globs = hidden->exclusions();
  const auto found = search::find_files(context.engines().root, query, [&] { return context.should_stop(); });
  if (!found) return fail(found.error());
  std::vector<std::string> paths;
  paths.reserve(found->entries.size());
  for (const search::FoundEntry& entry : found->entries) paths.push_back(entry.path);
  std::vector<FoundPath> ranked = rank_paths(paths, params.query, most);
  if (!hidden->empty()) std::erase_if(ranked, [&](const FoundPath& one) { return hidden->hides(one.path); });
  return ranked;
}

void add_paths(const std::vector<FoundPath>& paths, std::string& content, JsonArray& results) {
  for (const FoundPath& found : paths) {
    content += concat(to_valid_utf8(found.path), ":1:1 file\n");
    results.emplace_back(JsonObject{{"file", to_valid_utf8(found.path)},
                                    {"line", 1},
                                    {"column", 1},
                                    {"name", to_valid_utf8(found.path.substr(found.path.rfind('/') + 1))},
                                    {"kind", "file"},
                                    {"match", to_string(found.fit.fit)}});
  }
}

// Text matches, for languages without a parser and names without a definition.
search::GrepAnswer find_text(Context& context, const std::string& text, const std::string& directory) {
  Engines& engines = context.engines();
  const auto hidden = engines.rules->hidden();
  search::GrepQuery query{.pattern = text,
                          .syntax = {.ignore_case = true, .literal = true},
                          .path = directory,
                          .rule_globs = hidden->exclusions(),
                          .most_matches = kMostLines};
  auto answer = search::grep(engines.root, query, search_engine(engines.settings.search), engines.logger,
                             [&] { return context.should_stop(); });
  if (!answer) return {};
  if (!hidden->empty())
    std::erase_if(answer->files, [&](const search::FoundFile& file) { return hidden->hides(file.path); });
  return std::move(*answer);
}

bool is_sure(const code::SymbolAnswer& answer) {
  return !answer.symbols.empty() && answer.symbols.front().fit.fit < code::NameFit::kLoose;
}

Result query_files(Context& context, const CodeQuery::Params& params, const std::string& directory) {
  const auto paths = find_paths(context, params, directory, kMostShown);
  if (!paths) return fail(paths.error());
  Output output;
  JsonArray results;
  add_paths(*paths, output.content, results);
  output.summary = paths->empty()
                       ? concat("No file's name fits \"", params.query, "\"")
                       : concat("Found ", count_of(paths->size(), "file"), " for \"", params.query, "\"");
  if (paths->empty()) output.content = concat(output.summary, ". find takes globs: *", params.query, "*\n");
  output.data = JsonObject{{"results", std::move(results)}, {"total", paths->size()}, {"complete", true}};
  return output;
}

}  // namespace

Result CodeQuery::execute(Context& context, const Params& params) const {
  const auto opened = context.engines().root.open_directory(params.path);
  if (!opened) {
    if (context.engines().root.open_read(params.path))
      return fail(ErrorCode::kInvalidArgument,
                  concat(params.path, " is a file; code_query looks in directories."),
                  "Use find_symbols with a pattern on the file.");
    return fail(opened.error().code == ErrorCode::kNotFound ? context.engines().root.not_found(params.path)
                                                            : opened.error());
  }
  const std::string directory = opened->path == "." ? "" : opened->path;
  if (trim(params.query).empty())
    return fail(ErrorCode::kInvalidArgument, "The query is empty.", "Give a name or a part of one.");
  if (params.type == Type::kFile) return query_files(context, params, directory);

  auto index = toolkit::ask_index(context, directory);
  if (!index) return fail(index.error());
  index->filter.group = group_for(params.type);
  const code::NameQuery query(params.query);
  const code::SymbolAnswer answer =
      code::search_symbols(*index->view.state, query, index->filter, kMostShown);
  toolkit::SourceReader reader(context.engines().root, index->prefix);
  CodeMatches matches = show_symbols(answer.symbols, index->prefix, reader);
  std::vector<std::string> notes;
  std::string summary = concat("Found ", count_of(answer.total, "definition"), " for \"", params.query, "\"");
  if (answer.total > answer.symbols.size())
    notes.push_back(concat("The best ", answer.symbols.size(), " of ", with_thousands(answer.total),
                           " are shown. A longer name, Container.name, a type or a path narrows it down."));

  if (params.type == Type::kAll) {
    auto paths = find_paths(context, params, directory, 5);
    if (!paths) return fail(paths.error());
    std::erase_if(*paths, [](const FoundPath& found) { return found.fit.fit > code::NameFit::kPrefix; });
    add_paths(*paths, matches.text, matches.json);
  }
  if (!is_sure(answer)) {
    summary = answer.symbols.empty()
                  ? concat("No definition of \"", params.query, "\"")
                  : concat("Nothing is named \"", params.query, "\"; ",
                           answer.total == 1 ? "one name comes near"
                                             : concat(with_thousands(answer.total), " names come near"));
    notes.insert(notes.begin(), summary + ".");
    code::SymbolFilter any_kind = index->filter;
    any_kind.group.reset();
    if (answer.symbols.empty())
      if (const auto near = code::near_names(*index->view.state, query.name(), any_kind); !near.empty())
        notes.push_back(concat("Names that are near: ", join(near, ", "), "."));
    // The name may be defined in a language without a parser, or be no name at all.
    const search::GrepAnswer lines = find_text(context, params.query, directory);
    CodeMatches text = show_lines(lines);
    if (!text.json.empty())
      notes.push_back(concat("As text (found by grep, since no parser knows it as a definition):\n",
                             text.text, lines.more ? "  … grep shows the rest." : ""));
    else
      notes.push_back(concat("It does not occur as text either."));
    for (Json& line : text.json) matches.json.push_back(std::move(line));
  }
  // Unreadable files matter when something was not found.
  if (!is_sure(answer) || !index->view.complete)
    notes.insert(notes.end(), index->notes.begin(), index->notes.end());
  for (std::string& note : notes)
    while (note.ends_with('\n')) note.pop_back();
  if (context.should_stop()) return fail(context.stop_error());
  Output output{.summary = std::move(summary),
                .content = std::move(matches.text),
                .data = JsonObject{{"results", std::move(matches.json)},
                                   {"total", answer.total},
                                   {"complete", index->view.complete}},
                .truncated = answer.total > answer.symbols.size() || !index->view.complete};
  if (!notes.empty()) output.content += concat(output.content.empty() ? "" : "\n", join(notes, "\n"), "\n");
  return output;
}

}  // namespace helve::tools
