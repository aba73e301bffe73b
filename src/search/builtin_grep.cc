#include "search/builtin_grep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "search/answer_filler.h"
#include "search/file_choice.h"
#include "search/file_search.h"
#include "search/pattern.h"
#include "search/search_start.h"

namespace helve::search {
namespace {

struct BatchFindings final : Visitor::Findings {
  std::vector<FoundFile> files;
  std::size_t unreadable = 0;
  std::size_t too_large = 0;
  std::size_t binary = 0;
  bool complete = true;  // false: it was stopped within
};

// Searches the files of a walk with one FileSearch per worker and takes what they found in order.
class GrepVisitor final : public Visitor {
 public:
  GrepVisitor(const GrepQuery& query, const Pattern& pattern, const FileChoice& choice,
              const ShouldStop& should_stop, GrepAnswer& answer)
      : query_(query),
        pattern_(pattern),
        choice_(choice),
        has_globs_(!query.file_globs.empty()),
        should_stop_(should_stop),
        watch_(should_stop),
        answer_(answer),
        filler_(query, answer) {}

  std::unique_ptr<Findings> visit(unsigned worker, const FileBatch& batch) override {
    // Most batches have no hit at all and leave nothing behind.
    std::unique_ptr<BatchFindings> findings;
    const auto note = [&]() -> BatchFindings& {
      if (!findings) findings = std::make_unique<BatchFindings>();
      return *findings;
    };
    std::size_t searched = 0;
    // What is found beyond this cannot get into the answer any more, since room only gets less.
    const bool has_limit = query_.wanted == GrepQuery::Wanted::kMatches;
    const std::size_t room = filler_.room();
    std::size_t hits = 0;
    FileSearch& search = search_of(worker);
    FoundFile found;
    std::string path;
    for (const FileEntry& file : batch.files) {
      if (has_limit && hits > room) break;
      if (has_globs_) {
        path.assign(batch.directory_path).append(file.name);
        if (!choice_.chooses(path)) continue;
      }
      ++searched;
      const auto outcome =
          search.search(batch.directory_fd, file.c_str(), {.most_matches = room - hits}, found);
      if (outcome == FileSearch::Outcome::kUnreadable) ++note().unreadable;
      if (outcome == FileSearch::Outcome::kTooLarge) ++note().too_large;
      if (outcome == FileSearch::Outcome::kBinary) ++note().binary;
      if (outcome == FileSearch::Outcome::kStopped) {
        note().complete = false;
        // Half a count is none; the next answer has the whole one.
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
        if (!filler_.take(std::move(file))) return false;
      }
      if (!found.complete) return false;
    }
    answer_.reached.assign(batch.directory_path).append(batch.files.back().name);
    return true;
  }

  void search_one(const OpenFile& file, FileSearch::Options options) {
    options.most_matches = filler_.room();
    FoundFile found;
    const auto outcome = search_of(0).search(file.fd.get(), options, found);
    answer_.files_searched = answer_.files_searched.value_or(0) + 1;
    if (outcome == FileSearch::Outcome::kUnreadable) ++answer_.unreadable_files;
    if (outcome == FileSearch::Outcome::kTooLarge) ++answer_.files_too_large;
    if (outcome == FileSearch::Outcome::kStopped) answer_.stopped = true;
    found.path = file.path;
    filler_.take(std::move(found));
  }

 private:
  // Each worker has its own, made when it begins.
  FileSearch& search_of(unsigned worker) {
    auto& search = searches_.at(worker);
    if (!search) search = std::make_unique<FileSearch>(query_, pattern_, should_stop_, watch_);
    return *search;
  }

  const GrepQuery& query_;
  const Pattern& pattern_;
  const FileChoice& choice_;
  const bool has_globs_;
  const ShouldStop& should_stop_;
  StopWatch watch_;
  GrepAnswer& answer_;
  AnswerFiller filler_;
  std::atomic<std::size_t> files_searched_ = 0;
  std::array<std::unique_ptr<FileSearch>, kMostWalkThreads> searches_ = {};
};

// A cursor comes from outside and must not lead to files that the search would not look at.
bool belongs_to(std::string_view path, std::string_view directory, const FileChoice& choice) {
  const bool is_beneath =
      directory.empty() || (path.starts_with(directory) && path.substr(directory.size()).starts_with('/'));
  return is_beneath && choice.chooses(path);
}

// Each batch may hold as many hits as the answer takes, so that the more those are, the fewer batches may
// wait.
std::size_t batches_ahead(const GrepQuery& query) {
  constexpr std::size_t kMostHitsAhead = 200'000;
  if (query.wanted != GrepQuery::Wanted::kMatches) return kMostBatchesAhead;
  return std::clamp<std::size_t>(kMostHitsAhead / std::max<std::size_t>(query.most_matches, 1), 32,
                                 kMostBatchesAhead);
}

}  // namespace

Expected<GrepAnswer> grep_builtin(const Root& root, const GrepQuery& query, const ShouldStop& should_stop) {
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
                "Take the cursor of the last answer, or leave it out to begin again.");
  if (query.after && query.after->line > 0) {
    // The rest of the file that the last answer ended in. It may be gone by now.
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

}  // namespace helve::search
