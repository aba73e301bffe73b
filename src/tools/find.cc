// Finds files by name.
#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/engines.h"
#include "helve/tool.h"
#include "search/find.h"
#include "toolkit/search_text.h"
#include "workspace/path_check.h"

namespace helve::tools {

struct Find {
  static constexpr std::string_view kDescription =
      "Find files by glob: *.cc, src/**/*.{h,cc}, README*, !(*.o).\n"
      "Skips ignored and hidden files. To search contents use grep.";
  static constexpr Effect kEffect = Effect::kRead;
  static constexpr std::string_view kData =
      "{entries: [{path: string, type: string, size: integer}], total: integer, complete: boolean}";
  static constexpr bool kHonoursStop = true;
  static constexpr std::size_t kResultLimit = 5000;
  static constexpr std::chrono::milliseconds kTimeLimit{60'000};

  enum class Sort { kPath, kNewest };
  friend constexpr auto enum_names(Sort) { return std::to_array<std::string_view>({"path", "newest"}); }
  enum class Type { kFile, kDirectory, kLink, kAny };
  friend constexpr auto enum_names(Type) {
    return std::to_array<std::string_view>({"file", "directory", "link", "any"});
  }

  struct Params {
    std::string pattern;
    std::string path = ".";
    int max_results = 200;
    std::string exclude;
    bool case_sensitive = true;
    Sort sort = Sort::kPath;
    Type type = Type::kFile;
    bool hidden = false;
    bool ignored = false;

    void describe(ParamSpec& p) {
      p.required("pattern", pattern,
                 "Globs, separated by commas. Without a slash it matches names at any depth.",
                 {.min_length = 1});
      p.optional("path", path, "Directory to search.", {.min_length = 1});
      p.optional("maxResults", max_results, "Most results.", {.min = 1, .max = 10'000});
      p.optional("exclude", exclude, "Globs to skip: *.o, build/.");
      p.optional("caseSensitive", case_sensitive, "Distinguish upper and lower case.");
      p.optional("sort", sort, "newest: last modified first.");
      p.optional("type", type, "any includes links.");
      p.optional("hidden", hidden, "Include dot files, except .git.");
      p.optional("ignored", ignored, "Include files that .gitignore excludes.");
    }
  };

  std::vector<Resource> resources(const Params& params) const {
    return {{"file:" + params.path, Resource::Use::kShared}};
  }

  Result execute(Context& context, const Params& params) const;
};

namespace {

using search::EntryType;
using search::FindAnswer;
using search::FindQuery;
using search::FoundEntry;
using Time = std::chrono::system_clock::time_point;

bool is_exclusion(const std::string& glob) {
  return search::is_exclusion(glob, {.syntax = search::GlobOptions::Syntax::kExtended});
}

FindQuery query_for(const Find::Params& params, const std::string& workspace) {
  FindQuery query{
      .globs = toolkit::split_globs(params.pattern, workspace),
      .ignore_case = !params.case_sensitive,
      .path = params.path,
      .order = params.sort == Find::Sort::kNewest ? FindQuery::Order::kNewest : FindQuery::Order::kPath,
      .hidden = params.hidden,
      .ignored = params.ignored,
      .most_results = static_cast<std::size_t>(params.max_results)};
  if (params.type == Find::Type::kDirectory) query.types = FindQuery::Types::kDirectories;
  if (params.type == Find::Type::kLink) query.types = FindQuery::Types::kLinks;
  if (params.type == Find::Type::kAny) query.types = FindQuery::Types::kAny;
  for (const std::string& glob : toolkit::split_globs(params.exclude, workspace))
    query.globs.push_back(is_exclusion(glob) ? glob : "!" + glob);
  return query;
}

std::string_view name_of(EntryType type) {
  switch (type) {
    case EntryType::kFile: return "file";
    case EntryType::kDirectory: return "directory";
    case EntryType::kLink: return "link";
  }
  return "file";
}

Json data_of(const FindAnswer& answer) {
  JsonArray entries;
  for (const FoundEntry& entry : answer.entries)
    entries.emplace_back(
        JsonObject{{"path", to_valid_utf8(entry.path)},
                   {"type", name_of(entry.type)},
                   {"size", entry.size},
                   {"modified", utc_timestamp(Time(std::chrono::nanoseconds(entry.modified)))}});
  return JsonObject{{"entries", std::move(entries)},
                    {"total", answer.total},
                    {"complete", !answer.stopped && answer.total <= answer.entries.size()},
                    {"filesSeen", answer.walk.files}};
}

std::string summary_of(const Find::Params& params, const FindAnswer& answer) {
  const bool files = params.type == Find::Type::kFile;
  const std::string total =
      files ? count_of(answer.total, "file") : count_of(answer.total, "entry", "entries");
  std::string summary;
  if (answer.total == 0)
    summary =
        concat("Nothing matches \"", shortened(params.pattern, 100), "\" (",
               with_thousands(answer.walk.files), answer.walk.files == 1 ? " entry seen)" : " entries seen)");
  else if (answer.total > answer.entries.size())
    summary = concat(params.sort == Find::Sort::kNewest ? "The newest " : "The first ",
                     with_thousands(answer.entries.size()), " of ", total);
  else
    summary = concat("Found ", total);
  if (answer.stopped) summary += "; stopped early, because the time was up";
  return summary;
}

}  // namespace

Result Find::execute(Context& context, const Params& params) const {
  FindQuery query = query_for(params, context.workspace());
  if (std::ranges::all_of(query.globs, is_exclusion))
    return fail(ErrorCode::kInvalidArgument, "The pattern names nothing to find.",
                "Give a glob such as *.cc, or * for everything.");
  const auto hidden = context.engines().rules->hidden();  // paths that rules forbid to read
  query.rule_globs = hidden->exclusions();
  query.on_progress = [&](std::size_t entries) {
    context.report({.done = static_cast<double>(entries), .message = "Looking at names"});
  };
  const auto answer =
      search::find_files(context.engines().root, query, [&] { return context.should_stop(); });
  if (!answer) return fail(answer.error());
  if (answer->stopped && answer->entries.empty()) return fail(context.stop_error());

  Output output{.summary = summary_of(params, *answer),
                .data = data_of(*answer),
                .truncated = answer->stopped || answer->total > answer->entries.size()};
  for (const FoundEntry& entry : answer->entries)
    output.content +=
        concat(workspace::printable_path(entry.path), entry.type == EntryType::kDirectory ? "/" : "", "\n");
  std::vector<std::string> notes;
  if (output.truncated) notes.push_back(output.summary + ". A narrower pattern or path shows the rest.");
  if (answer->total == 0) {
    notes = {output.summary + ".", toolkit::describe_left_out(answer->walk)};
    if (params.type == Type::kFile && context.engines().root.open_directory(params.pattern))
      notes.push_back(concat(params.pattern, " is a directory: ", params.pattern,
                             "/** finds what is in it, type directory the directory itself."));
    else if (params.pattern.find_first_of("*?[{(!/\\, ") == std::string::npos)
      notes.push_back(
          concat("Names are matched whole: *", params.pattern, "* finds what has it in its name."));
  }
  notes.push_back(toolkit::describe_unreadable(answer->walk));
  std::erase(notes, "");
  if (!notes.empty()) output.content += concat(answer->total > 0 ? "\n" : "", join(notes, "\n"), "\n");
  return output;
}

}  // namespace helve::tools
