#include "search/grep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "search/file_search.h"
#include "search/follow_links.h"
#include "search/hit_collector.h"
#include "search/newest_files.h"
#include "search/pattern.h"
#include "search/ripgrep_process.h"
#include "search/search_scope.h"

namespace helve::search {
namespace {

struct BatchFindings final : Visitor::Findings {
  std::vector<FoundFile> files;
  std::size_t unreadable = 0;
  std::size_t too_large = 0;
  std::size_t binary = 0;
  bool complete = true;  // false if the search stopped inside this batch
};

// Whether a file with a binary outcome has a match.
bool counts_binary(const GrepQuery& query) { return query.wanted != GrepQuery::Wanted::kFilesWithout; }

// Searches the files of a walk with one FileSearch per worker and adds the findings to the answer in order.
class GrepVisitor final : public Visitor {
 public:
  GrepVisitor(const workspace::Root& root, const GrepQuery& query, const Pattern& pattern,
              const FileChoice& choice, const WalkOptions& walk, const ShouldStop& should_stop,
              GrepAnswer& answer)
      : root_(root),
        query_(query),
        pattern_(pattern),
        choice_(choice),
        walk_(walk),
        chooses_(!choice.chooses_all()),
        should_stop_(should_stop),
        monitor_(should_stop),
        answer_(answer),
        builder_(query, answer) {}

  std::unique_ptr<Findings> visit(unsigned worker, const FileBatch& batch) override {
    // Allocated on demand: most batches have no hits.
    std::unique_ptr<BatchFindings> findings;
    std::size_t searched = 0;
    // `remaining` only decreases, so hits beyond it can never be part of the answer.
    const bool has_limit = query_.wanted == GrepQuery::Wanted::kMatches;
    const std::size_t remaining = builder_.remaining();
    std::size_t hits = 0;
    FileSearch& search = search_of(worker);
    FoundFile found;
    std::string path;
    for (const FileEntry& file : batch.files) {
      if (has_limit && hits > remaining) break;
      if (file.type == EntryType::kLink) {
        if (!visit_link(search, concat(batch.directory_path, file.name), remaining, hits, searched, findings))
          break;
        continue;
      }
      if (chooses_) {
        path.assign(batch.directory_path).append(file.name);
        if (!choice_.chooses(path)) continue;
      }
      ++searched;
      const auto outcome =
          search.search(batch.directory_fd, file.c_str(), {.most_matches = remaining - hits}, found);
      if (outcome == FileSearch::Outcome::kSearched && !is_found(found, outcome)) {
        if (found.matches > 0) found = {};
        continue;
      }
      path.assign(batch.directory_path).append(file.name);
      if (!keep(outcome, found, path, hits, findings)) break;
    }
    files_searched_ += searched;
    return findings;
  }
  [[nodiscard]] std::size_t files_searched() const { return files_searched_; }

  bool commit(std::unique_ptr<Findings> findings, const FileBatch& batch) override {
    committed_.add(batch.files.size(), query_.on_progress);
    if (findings) {
      auto& found = static_cast<BatchFindings&>(*findings);
      answer_.unreadable_files += found.unreadable;
      answer_.files_too_large += found.too_large;
      answer_.binary_files += found.binary;
      for (FoundFile& file : found.files) {
        if (!builder_.add(std::move(file))) return false;
      }
      if (!found.complete) return false;
    }
    answer_.reached.assign(batch.directory_path).append(batch.files.back().name);
    return true;
  }

  // Searches one file and adds its hits directly. Returns false when the answer is full.
  bool search_one(const workspace::OpenFile& file, FileSearch::Options options) {
    if (query_.hides && query_.hides(file.path)) return true;
    options.most_matches = builder_.remaining();
    FoundFile found;
    const auto outcome = search_of(0).search(file.fd.get(), options, found);
    answer_.files_searched = answer_.files_searched.value_or(0) + 1;
    if (outcome == FileSearch::Outcome::kUnreadable) ++answer_.unreadable_files;
    if (outcome == FileSearch::Outcome::kTooLarge) ++answer_.files_too_large;
    if (outcome == FileSearch::Outcome::kBinary && counts_binary(query_)) ++answer_.binary_files;
    if (outcome == FileSearch::Outcome::kStopped) answer_.stopped = true;
    if (!is_found(found, outcome)) return !answer_.stopped;
    found.path = file.path;
    return builder_.add(std::move(found)) && !answer_.stopped;
  }

 private:
  // Each worker has its own FileSearch, created on first use.
  FileSearch& search_of(unsigned worker) {
    auto& search = searches_.at(worker);
    if (!search) search = std::make_unique<FileSearch>(query_, pattern_, should_stop_, monitor_);
    return *search;
  }

  [[nodiscard]] bool is_found(const FoundFile& found, FileSearch::Outcome outcome) const {
    if (query_.wanted == GrepQuery::Wanted::kFilesWithout)
      return outcome == FileSearch::Outcome::kSearched && found.matches == 0;
    return found.matches > 0;
  }

  // Adds what was found in one file to the findings of its batch. Returns false when the batch must end.
  bool keep(FileSearch::Outcome outcome, FoundFile& found, std::string_view path, std::size_t& hits,
            std::unique_ptr<BatchFindings>& findings) {
    // Before anything is counted: the numbers of an answer would tell what the file holds.
    if (query_.hides && outcome != FileSearch::Outcome::kStopped && query_.hides(std::string(path))) {
      found = {};
      return true;
    }
    if (!findings) findings = std::make_unique<BatchFindings>();
    if (outcome == FileSearch::Outcome::kUnreadable) ++findings->unreadable;
    if (outcome == FileSearch::Outcome::kTooLarge) ++findings->too_large;
    if (outcome == FileSearch::Outcome::kBinary && counts_binary(query_)) ++findings->binary;
    const bool stopped = outcome == FileSearch::Outcome::kStopped;
    if (stopped) findings->complete = false;
    // A partial count is worthless. The next answer contains the full count.
    if (stopped && query_.wanted != GrepQuery::Wanted::kMatches) return false;
    hits += found.matches;
    if (is_found(found, outcome)) {
      found.path = path;
      findings->files.push_back(std::move(found));
    }
    found = {};
    return !stopped;
  }

  // Searches the files behind a link. Returns false when the batch must end.
  bool visit_link(FileSearch& search, const std::string& link, std::size_t remaining, std::size_t& hits,
                  std::size_t& searched, std::unique_ptr<BatchFindings>& findings) {
    bool go_on = true;
    follow_link(root_, link, walk_, [&](const LinkedFile& linked) {
      if (!walk_.after.empty() && !walks_before(walk_.after, linked.path)) return true;
      if (!choice_.chooses(linked.path) || (query_.hides && query_.hides(linked.path))) return true;
      ++searched;
      FoundFile found;
      const auto outcome =
          search.search(linked.file.fd.get(), {.most_matches = remaining - std::min(hits, remaining)}, found);
      go_on = keep(outcome, found, linked.path, hits, findings) && hits <= remaining;
      return go_on;
    });
    return go_on;
  }

  const workspace::Root& root_;
  const GrepQuery& query_;
  const Pattern& pattern_;
  const FileChoice& choice_;
  const WalkOptions& walk_;
  const bool chooses_;
  const ShouldStop& should_stop_;
  StopMonitor monitor_;
  GrepAnswer& answer_;
  AnswerBuilder builder_;
  SteppedCount committed_;
  std::atomic<std::size_t> files_searched_ = 0;
  std::array<std::unique_ptr<FileSearch>, kMostWalkThreads> searches_ = {};
};

// A cursor is untrusted input: it must not reach files outside of this search.
bool belongs_to(std::string_view path, std::string_view directory, const FileChoice& choice) {
  const bool is_beneath =
      directory.empty() || (path.starts_with(directory) && path.substr(directory.size()).starts_with('/'));
  return is_beneath && choice.chooses(path);
}

// Bounds memory: each waiting batch may hold as many hits as the whole answer, so a larger limit allows fewer
// waiting batches.
std::size_t batches_ahead(const GrepQuery& query) {
  constexpr std::size_t kMostHitsAhead = 200'000;
  if (query.wanted != GrepQuery::Wanted::kMatches) return kMostBatchesAhead;
  return std::clamp<std::size_t>(kMostHitsAhead / std::max<std::size_t>(query.most_matches, 1), 32,
                                 kMostBatchesAhead);
}

// Searches the last modified files first, so all files are listed before.
Expected<void> search_newest(const workspace::Root& root, const GrepQuery& query, const WalkOptions& options,
                             const FileChoice& choice, const std::optional<GrepPosition>& after,
                             GrepVisitor& visitor, GrepAnswer& answer) {
  WalkOptions all = options;
  all.after.clear();
  auto list = list_newest_files(root, all, choice);
  if (!list) return fail(list.error());
  bool begun = !after;
  for (const NewestFiles::File& listed : list->files) {
    if (options.should_stop()) {
      answer.stopped = true;
      break;
    }
    const bool is_place = !begun && listed.path == after->path;
    if (!begun && !is_place) continue;
    begun = true;
    if (is_place && after->line == 0) continue;
    if (query.hides && query.hides(listed.path)) continue;
    auto file = root.open_read(listed.path);
    if (!file) continue;  // removed meanwhile
    file->path = listed.path;
    if (!visitor.search_one(*file, {.after_line = is_place ? after->line : 0})) break;
  }
  if (!begun)
    return fail(ErrorCode::kInvalidArgument, "The file of the cursor is gone.",
                "Omit the cursor to start over.");
  answer.stopped = answer.stopped || list->walk.stopped;
  answer.walk = std::move(list->walk);
  return {};
}

// Chosen by the measurements in bench/RESULTS.md.
constexpr Engine kAutomaticEngine = Engine::kBuiltin;

}  // namespace

Expected<FileChoice> choice_for(const GrepQuery& query, std::string_view directory) {
  return FileChoice::compile(query.file_globs, directory,
                             {.globs = {.syntax = GlobOptions::Syntax::kExtended},
                              .rules = query.rule_globs,
                              .types = query.types.wanted,
                              .other_types = query.types.unwanted});
}

Expected<GrepAnswer> grep_builtin(const workspace::Root& root, const GrepQuery& query,
                                  const ShouldStop& should_stop) {
  const auto pattern = compile_pattern(query.pattern, query.syntax);
  if (!pattern) return fail(pattern.error());
  const auto start = find_start(root, query.path);
  if (!start) return fail(start.error());
  const auto choice = choice_for(query, start->directory);
  if (!choice) return fail(choice.error());

  GrepAnswer answer{.engine = "builtin"};
  const auto after = query.after
                         ? std::optional(GrepPosition{start->resolved(query.after->path), query.after->line})
                         : std::nullopt;
  const WalkOptions options{.start = start->directory,
                            .hidden = query.hidden,
                            .ignored = query.ignored,
                            .globs = choice->exclusions(),
                            .shown = choice->types(),
                            .deliver_links = query.follow,
                            .most_batches_ahead = batches_ahead(query),
                            .after = after ? after->path : std::string(),
                            .should_stop = should_stop};
  GrepVisitor visitor(root, query, *pattern, *choice, options, should_stop, answer);
  if (start->file) {
    visitor.search_one(*start->file, {.after_line = after ? after->line : 0, .as_text = true});
    return answer;
  }
  if (after && !belongs_to(after->path, start->directory, *choice))
    return fail(ErrorCode::kInvalidArgument, "The cursor belongs to another search.",
                "Pass the cursor of the last answer, or omit it to start over.");
  if (query.newest_first) {
    if (auto done = search_newest(root, query, options, *choice, after, visitor, answer); !done)
      return fail(done.error());
  } else if (after && after->line > 0) {
    // Search the rest of the file in which the last answer ended, if it still exists.
    if (auto file = root.open_read(after->path)) {
      file->path = after->path;
      visitor.search_one(*file, {.after_line = after->line});
    }
  }
  if (!query.newest_first && !answer.more && !answer.stopped) {
    auto report = walk(root, options, visitor);
    if (!report) return fail(report.error());
    answer.files_searched = answer.files_searched.value_or(0) + visitor.files_searched();
    answer.stopped = report->stopped && !answer.more;
    answer.walk = std::move(*report);
  }
  for (FoundFile& file : answer.files) file.path = start->shown(std::move(file.path));
  answer.reached = start->shown(std::move(answer.reached));
  return answer;
}

Expected<GrepAnswer> grep(const workspace::Root& root, const GrepQuery& query, const EngineChoice& choice,
                          Logger& logger, const ShouldStop& should_stop) {
  const Engine engine = choice.engine == Engine::kAuto ? kAutomaticEngine : choice.engine;
  if (engine == Engine::kBuiltin) return grep_builtin(root, query, should_stop);
  const auto program = find_program(choice.ripgrep);
  if (!program) {
    logger.warning(concat("ripgrep (", choice.ripgrep, ") is not installed; using the built-in engine."));
    return grep_builtin(root, query, should_stop);
  }
  auto answer = grep_ripgrep(root, query, *program, should_stop);
  if (answer || answer.error().code != ErrorCode::kUnavailable) return answer;
  logger.warning(
      concat("ripgrep could not search: ", answer.error().message, "; using the built-in engine."));
  return grep_builtin(root, query, should_stop);
}

}  // namespace helve::search
