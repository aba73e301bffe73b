#include "search/grep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "search/file_search.h"
#include "search/hit_collector.h"
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

// Searches the files of a walk with one FileSearch per worker and adds the findings to the answer in order.
class GrepVisitor final : public Visitor {
 public:
  GrepVisitor(const GrepQuery& query, const Pattern& pattern, const FileChoice& choice,
              const ShouldStop& should_stop, GrepAnswer& answer)
      : query_(query),
        pattern_(pattern),
        choice_(choice),
        has_globs_(!query.file_globs.empty()),
        should_stop_(should_stop),
        monitor_(should_stop),
        answer_(answer),
        builder_(query, answer) {}

  std::unique_ptr<Findings> visit(unsigned worker, const FileBatch& batch) override {
    // Allocated on demand: most batches have no hits.
    std::unique_ptr<BatchFindings> findings;
    const auto note = [&]() -> BatchFindings& {
      if (!findings) findings = std::make_unique<BatchFindings>();
      return *findings;
    };
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
      if (has_globs_) {
        path.assign(batch.directory_path).append(file.name);
        if (!choice_.chooses(path)) continue;
      }
      ++searched;
      const auto outcome =
          search.search(batch.directory_fd, file.c_str(), {.most_matches = remaining - hits}, found);
      if (outcome == FileSearch::Outcome::kUnreadable) ++note().unreadable;
      if (outcome == FileSearch::Outcome::kTooLarge) ++note().too_large;
      if (outcome == FileSearch::Outcome::kBinary) ++note().binary;
      if (outcome == FileSearch::Outcome::kStopped) {
        note().complete = false;
        // A partial count is worthless. The next answer contains the full count.
        if (query_.wanted == GrepQuery::Wanted::kCounts) break;
      }
      hits += found.matches;
      if (found.matches > 0) {
        found.path.assign(batch.directory_path).append(file.name);
        note().files.push_back(std::exchange(found, {}));
      }
      if (outcome == FileSearch::Outcome::kStopped) break;
    }
    files_searched_ += searched;
    return findings;
  }
  [[nodiscard]] std::size_t files_searched() const { return files_searched_; }

  bool commit(std::unique_ptr<Findings> findings, const FileBatch& batch) override {
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

  void search_one(const workspace::OpenFile& file, FileSearch::Options options) {
    options.most_matches = builder_.remaining();
    FoundFile found;
    const auto outcome = search_of(0).search(file.fd.get(), options, found);
    answer_.files_searched = answer_.files_searched.value_or(0) + 1;
    if (outcome == FileSearch::Outcome::kUnreadable) ++answer_.unreadable_files;
    if (outcome == FileSearch::Outcome::kTooLarge) ++answer_.files_too_large;
    if (outcome == FileSearch::Outcome::kStopped) answer_.stopped = true;
    found.path = file.path;
    builder_.add(std::move(found));
  }

 private:
  // Each worker has its own FileSearch, created on first use.
  FileSearch& search_of(unsigned worker) {
    auto& search = searches_.at(worker);
    if (!search) search = std::make_unique<FileSearch>(query_, pattern_, should_stop_, monitor_);
    return *search;
  }

  const GrepQuery& query_;
  const Pattern& pattern_;
  const FileChoice& choice_;
  const bool has_globs_;
  const ShouldStop& should_stop_;
  StopMonitor monitor_;
  GrepAnswer& answer_;
  AnswerBuilder builder_;
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

// Chosen by the measurements in bench/RESULTS.md.
constexpr Engine kAutomaticEngine = Engine::kBuiltin;

}  // namespace

Expected<GrepAnswer> grep_builtin(const workspace::Root& root, const GrepQuery& query,
                                  const ShouldStop& should_stop) {
  const auto pattern = compile_pattern(query.pattern, query.syntax);
  if (!pattern) return fail(pattern.error());
  const auto start = find_start(root, query.path);
  if (!start) return fail(start.error());
  const auto choice = FileChoice::compile(query.file_globs, start->directory);
  if (!choice) return fail(choice.error());

  GrepAnswer answer{.engine = "builtin"};
  GrepVisitor visitor(query, *pattern, *choice, should_stop, answer);
  if (start->file) {
    visitor.search_one(*start->file, {.after_line = query.after ? query.after->line : 0, .as_text = true});
    return answer;
  }
  if (query.after && !belongs_to(query.after->path, start->directory, *choice))
    return fail(ErrorCode::kInvalidArgument, "The cursor belongs to another search.",
                "Pass the cursor of the last answer, or omit it to start over.");
  if (query.after && query.after->line > 0) {
    // Search the rest of the file in which the last answer ended, if it still exists.
    if (const auto file = root.open_read(query.after->path))
      visitor.search_one(*file, {.after_line = query.after->line});
    if (answer.more || answer.stopped) return answer;
  }
  auto report = walk(root,
                     {.start = start->directory,
                      .hidden = query.hidden,
                      .ignored = query.ignored,
                      .globs = choice->exclusions(),
                      .most_batches_ahead = batches_ahead(query),
                      .after = query.after ? query.after->path : std::string(),
                      .should_stop = should_stop},
                     visitor);
  if (!report) return fail(report.error());
  answer.files_searched = answer.files_searched.value_or(0) + visitor.files_searched();
  answer.stopped = report->stopped && !answer.more;
  answer.walk = std::move(*report);
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
