// Searches the contents of files for a regular expression.
#include <algorithm>
#include <chrono>

#include "base/strings.h"
#include "core/engines.h"
#include "helve/session.h"
#include "helve/tool.h"
#include "search/grep.h"
#include "search/pattern.h"
#include "search/walker.h"
#include "toolkit/search_text.h"
#include "tools/grep_report.h"
#include "tools/search_cursor.h"

namespace helve::tools {

struct Grep {
  static constexpr std::string_view kDescription =
      "Search file contents with a regular expression; returns file, line and text of each match.\n"
      "Skips ignored, hidden and binary files. For file names use find.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{matches?: [{file: string, line: integer, text: string}], files?: [any], totalMatches: integer, "
      "complete: boolean, cursor?: string}";
  static constexpr bool kHonoursStop = true;
  static constexpr std::size_t kResultLimit = 5000;
  static constexpr std::chrono::milliseconds kTimeLimit{60'000};

  enum class Shown { kMatches, kFiles, kFilesWithout, kCount };
  friend constexpr auto enum_names(Shown) {
    return std::to_array<std::string_view>({"matches", "files", "files-without", "count"});
  }
  enum class Whole { kNo, kWord, kLine };
  friend constexpr auto enum_names(Whole) { return std::to_array<std::string_view>({"no", "word", "line"}); }
  enum class Sort { kPath, kNewest };
  friend constexpr auto enum_names(Sort) { return std::to_array<std::string_view>({"path", "newest"}); }

  struct Params {
    std::string pattern;
    std::string path = ".";
    std::string file_pattern;
    std::string type;
    bool case_sensitive = true;
    bool literal = false;
    Whole whole = Whole::kNo;
    bool invert = false;
    bool multiline = false;
    int context_lines = 0;
    std::optional<int> lines_before;
    std::optional<int> lines_after;
    int max_results = 100;
    std::optional<int> max_per_file;
    Shown output = Shown::kMatches;
    Sort sort = Sort::kPath;
    bool hidden = false;
    bool ignored = false;
    bool follow = false;
    std::string cursor;

    void describe(ParamSpec& p) {
      p.required("pattern", pattern,
                 "ripgrep regular expression: \\w \\b (?i) a|b x{2,3}; no look-around or back-references.",
                 {.max_length = 100'000});
      p.optional("path", path, "Directory or file.", {.min_length = 1});
      p.optional("filePattern", file_pattern,
                 "Globs, separated by commas: *.cc, src/**/*.{h,cc}; !*.min.js excludes.");
      p.optional("type", type, "File types, separated by commas: py, js, cpp; !md excludes.");
      p.optional("caseSensitive", case_sensitive, "Distinguish upper and lower case.");
      p.optional("literal", literal, "Treat the pattern as plain text.");
      p.optional("whole", whole, "Match only whole words or lines.");
      p.optional("invert", invert, "Find lines without a match.");
      p.optional("multiline", multiline, "Let matches span lines; \\n and (?s:.) match line breaks.");
      p.optional("contextLines", context_lines, "Lines around each match.", {.min = 0, .max = 50});
      p.optional("linesBefore", lines_before, "Instead of contextLines, before it.", {.min = 0, .max = 50});
      p.optional("linesAfter", lines_after, "Instead of contextLines, after it.", {.min = 0, .max = 50});
      p.optional("maxResults", max_results, "Most matching lines, or files if output is files.",
                 {.min = 1, .max = 10'000});
      p.optional("maxPerFile", max_per_file, "Most matching lines per file.", {.min = 1});
      p.optional(
          "output", output,
          "matches: lines; files: files with counts; files-without: files without a match; count: totals.");
      p.optional("sort", sort, "newest: last modified files first.");
      p.optional("hidden", hidden, "Include dot files, except .git.");
      p.optional("ignored", ignored, "Include files that .gitignore excludes.");
      p.optional("follow", follow, "Follow symlinks within the workspace.");
      p.optional("cursor", cursor, "Cursor of the last result, to continue there.");
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }

  Result execute(Context& context, const Params& params) const;
};

namespace {

using search::GrepAnswer;
using search::GrepQuery;
using Syntax = regex::SyntaxOptions;

GrepQuery::Wanted wanted_for(Grep::Shown shown) {
  switch (shown) {
    case Grep::Shown::kMatches: return GrepQuery::Wanted::kMatches;
    case Grep::Shown::kFiles: return GrepQuery::Wanted::kCounts;
    case Grep::Shown::kFilesWithout: return GrepQuery::Wanted::kFilesWithout;
    case Grep::Shown::kCount: return GrepQuery::Wanted::kTotals;
  }
  return GrepQuery::Wanted::kMatches;
}

Syntax::Whole whole_for(Grep::Whole whole) {
  switch (whole) {
    case Grep::Whole::kNo: return Syntax::Whole::kNo;
    case Grep::Whole::kWord: return Syntax::Whole::kWord;
    case Grep::Whole::kLine: return Syntax::Whole::kLine;
  }
  return Syntax::Whole::kNo;
}

GrepQuery query_for(const Grep::Params& params, const std::string& workspace) {
  const auto lines = [&](const std::optional<int>& given) {
    return static_cast<std::size_t>(given.value_or(params.context_lines));
  };
  GrepQuery query{.pattern = params.pattern,
                  .syntax = {.ignore_case = !params.case_sensitive,
                             .across_lines = params.multiline,
                             .literal = params.literal,
                             .whole = whole_for(params.whole)},
                  .path = params.path,
                  .file_globs = toolkit::split_globs(params.file_pattern, workspace),
                  .hidden = params.hidden,
                  .ignored = params.ignored,
                  .follow = params.follow,
                  .newest_first = params.sort == Grep::Sort::kNewest,
                  .invert = params.invert,
                  .wanted = wanted_for(params.output),
                  .lines_before = lines(params.lines_before),
                  .lines_after = lines(params.lines_after),
                  .most_matches = static_cast<std::size_t>(params.max_results)};
  if (params.max_per_file) query.most_per_file = static_cast<std::size_t>(*params.max_per_file);
  query.syntax.crlf = search::wants_crlf(query.pattern, query.syntax);
  return query;
}

// The parameters that a cursor is valid for.
std::string identity_of(const Grep::Params& params) {
  return concat(params.pattern, '\0', params.path, '\0', params.file_pattern, '\0', params.type, '\0',
                params.max_per_file.value_or(0), '\0', int{params.case_sensitive}, int{params.literal},
                static_cast<int>(params.whole), int{params.invert}, int{params.multiline},
                static_cast<int>(params.sort), int{params.hidden}, int{params.ignored}, int{params.follow},
                static_cast<int>(params.output));
}

std::string cursor_for(const Grep::Params& params, const GrepAnswer& answer) {
  if (!answer.more && !answer.stopped) return {};
  search::GrepPosition position;
  if (!answer.files.empty()) {
    const search::FoundFile& last = answer.files.back();
    position.path = last.path;
    for (const search::FoundLine& line : last.lines) {
      if (line.is_match()) position.line = line.number;
    }
  }
  // The search went further than the last match, so the next one can start there.
  if (answer.stopped && search::walks_before(position.path, answer.reached))
    position = {.path = answer.reached};
  return position.path.empty() ? std::string() : make_cursor(position, identity_of(params));
}

}  // namespace

Result Grep::execute(Context& context, const Params& params) const {
  GrepQuery query = query_for(params, context.workspace());
  // Files that rules forbid to read do not appear.
  const auto hidden = context.engines().rules->hidden();
  query.rule_globs = hidden->exclusions();
  if (!hidden->empty()) query.hides = [hidden](const std::string& path) { return hidden->hides(path); };
  auto types = search::find_types(params.type);
  if (!types) return fail(types.error());
  query.types = std::move(*types);
  if (!params.cursor.empty()) {
    auto position = read_cursor(params.cursor, identity_of(params));
    if (!position) return fail(position.error());
    // A cursor is untrusted and could name any file.
    if (hidden->hides(position->path))
      return fail(ErrorCode::kInvalidArgument, "The cursor belongs to another search.",
                  "Pass the cursor of the last result, or omit it to start again.");
    query.after = std::move(*position);
  }
  query.on_progress = [&](std::size_t files) {
    context.report({.done = static_cast<double>(files), .message = "Searching files"});
  };
  // Stops a little before the deadline, so that the matches so far are returned.
  const auto now = Context::Clock::now();
  const auto left = context.deadline() - now;
  const auto deadline = now + left - std::min<Context::Clock::duration>(left / 10, std::chrono::seconds(1));
  const auto should_stop = [&] {
    return context.stop_token().stop_requested() || Context::Clock::now() >= deadline;
  };

  Engines& engines = context.engines();
  const std::string& outputs = context.session().output_directory();
  const bool in_outputs = query.path.starts_with(outputs + "/");
  std::optional<workspace::Root> output_root;
  if (in_outputs) {
    auto opened = workspace::Root::open(outputs);
    if (!opened) return fail(opened.error());
    output_root.emplace(std::move(*opened));
  }
  auto answer = search::grep(in_outputs ? *output_root : engines.root, query,
                             search_engine(engines.settings.search), engines.logger, should_stop);
  if (!answer) return fail(answer.error());
  if (context.stop_token().stop_requested()) return fail(context.stop_error());
  if (!hidden->empty())
    std::erase_if(answer->files, [&](const search::FoundFile& file) { return hidden->hides(file.path); });
  // With the parameter names that the caller uses.
  for (search::FoundFile& file : answer->files) {
    if (in_outputs) file.path = concat(outputs, "/", file.path);
  }
  return describe_grep(query, *answer, cursor_for(params, *answer));
}

}  // namespace helve::tools
