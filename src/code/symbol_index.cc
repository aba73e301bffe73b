#include "code/symbol_index.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/threads.h"
#include "code/extract.h"
#include "code/source_text.h"
#include "search/search_scope.h"
#include "text/language.h"

namespace helve::code {
namespace {

using Clock = std::chrono::steady_clock;

// Larger files are mostly data and would delay all others.
constexpr std::uint64_t kLargestIndexed = std::uint64_t{4} << 20;
// A file written within this time before it was read is read again, in nanoseconds.
constexpr std::int64_t kRecent = 2'000'000'000;
// Saving is not worthwhile for less parse time than this.
constexpr std::chrono::milliseconds kWorthSaving{100};
constexpr std::chrono::milliseconds kBetweenPublishing{300};

// Judged by the name only. Files without an extension may be scripts.
bool may_be_code(std::string_view path) {
  if (const auto language = text::language_of(path)) return has_grammar(language->id);
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.find('.') == std::string_view::npos;
}

std::int64_t now_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct SeenFile {
  std::string path;
  FileStamp stamp;
  std::shared_ptr<const IndexedFile> known = {};  // null if never seen
  bool changed = false;
};

// Compares every file that may be code with its index entry.
class CheckVisitor final : public search::Visitor {
 public:
  explicit CheckVisitor(const IndexState& known) : known_(known) {}

  std::unique_ptr<Findings> visit(unsigned /*worker*/, const search::FileBatch& batch) override {
    auto seen = std::make_unique<Seen>();
    std::string path(batch.directory_path);
    const std::size_t prefix = path.size();
    for (const search::FileEntry& entry : batch.files) {
      path.resize(prefix);
      path += entry.name;
      if (!may_be_code(path)) continue;
      struct stat status{};
      if (::fstatat(batch.directory_fd, entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
          !S_ISREG(status.st_mode))
        continue;
      SeenFile file{.path = path, .stamp = stamp_of(status)};
      const auto place = std::ranges::lower_bound(
          known_.files, path, {}, [](const auto& known) -> const std::string& { return known->path; });
      if (place != known_.files.end() && (*place)->path == path) file.known = *place;
      file.changed = !file.known || file.known->stamp != file.stamp || file.known->recent;
      seen->files.push_back(std::move(file));
    }
    return seen;
  }

  bool commit(std::unique_ptr<Findings> findings, const search::FileBatch& /*batch*/) override {
    if (!findings) return true;
    for (SeenFile& file : static_cast<Seen&>(*findings).files) files.push_back(std::move(file));
    return true;
  }

  std::vector<SeenFile> files;

 private:
  struct Seen final : Findings {
    std::vector<SeenFile> files;
  };
  const IndexState& known_;
};

// Null if it cannot be read, for instance because it was deleted.
std::shared_ptr<const IndexedFile> read_file_anew(const workspace::Root& root, const SeenFile& seen,
                                                  const std::stop_token& stop) {
  const std::int64_t begun = now_nanoseconds();
  const auto opened = root.open_read(seen.path);
  if (!opened) return {};
  const FileStamp stamp = stamp_of(opened->status);
  if (stamp.size > kLargestIndexed)
    return std::make_shared<IndexedFile>(
        IndexedFile{.path = seen.path, .stamp = stamp, .skipped = "it has more than 4 MiB"});
  const auto bytes = workspace::read_content(*opened, kLargestIndexed);
  if (!bytes) return {};
  const bool recent = stamp.modified > begun - kRecent;
  std::shared_ptr<IndexedFile> file;
  if (seen.known && seen.known->hash == content_hash(*bytes)) {
    file = std::make_shared<IndexedFile>(*seen.known);
    file->stamp = stamp;
  } else {
    file = std::make_shared<IndexedFile>(
        index_file(seen.path, *bytes, stamp, [&] { return stop.stop_requested(); }));
  }
  file->recent = recent;
  return file;
}

}  // namespace

// One pass over all files.
struct SymbolIndex::Pass {
  std::vector<SeenFile> files;                             // by path
  std::vector<std::size_t> changed;                        // indices of those to read
  std::vector<std::shared_ptr<const IndexedFile>> answer;  // the result for each of `changed`
  std::vector<char> is_read;
  search::WalkReport walk;
  bool walked = false;
  bool differs = false;  // from the state before
};

SymbolIndex::SymbolIndex(const workspace::Root& root, Logger& logger, Options options)
    : root_(root), logger_(logger), options_(std::move(options)) {
  view_.state = std::make_shared<IndexState>();
}

SymbolIndex::~SymbolIndex() = default;

IndexView SymbolIndex::refresh(const Request& request) {
  std::unique_lock lock(mutex_);
  exclusions_ = request.exclusions;
  // A running pass may have visited a file before it changed, so the caller needs the next pass.
  const std::uint64_t mine = wanted_pass_ = std::max(wanted_pass_, finished_pass_) + 1;
  // Without the thread, the answer has what an earlier pass found.
  const bool is_running =
      worker_.joinable() || try_start_thread(worker_, [this](const std::stop_token& stop) { run(stop); });
  asked_.notify_one();
  std::size_t most_pending = 0;
  while (is_running && finished_pass_ < mine) {
    const auto now = Clock::now();
    most_pending = std::max(most_pending, view_.pending);
    if (request.on_progress && most_pending > 0)
      request.on_progress(most_pending - view_.pending, most_pending);
    if (now >= request.deadline || (request.should_stop && request.should_stop())) break;
    answered_.wait_until(lock, std::min(request.deadline, now + std::chrono::milliseconds(20)));
  }
  // The next pass may have begun already, for other callers.
  IndexView view = finished_pass_ >= mine ? settled_ : view_;
  view.complete = finished_pass_ >= mine && view.walked && view.pending == 0;
  return view;
}

void SymbolIndex::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (asked_.wait(lock, stop, [this] { return finished_pass_ < wanted_pass_; })) {
    const std::uint64_t number = wanted_pass_;
    const std::vector<std::string> exclusions = exclusions_;
    lock.unlock();
    run_pass(stop, exclusions);
    save_if_worth_it();
    lock.lock();
    if (stop.stop_requested()) break;
    finished_pass_ = number;
    settled_ = view_;
    answered_.notify_all();
  }
}

void SymbolIndex::run_pass(const std::stop_token& stop, const std::vector<std::string>& exclusions) {
  if (!std::exchange(loaded_, true) && !options_.cache_path.empty())
    if (auto files = load_index(options_.cache_path)) {
      auto state = std::make_shared<IndexState>();
      for (const auto& file : *files) state->symbols += file->symbols.size();
      state->files = std::move(*files);
      const std::lock_guard lock(mutex_);
      view_.state = std::move(state);
    }
  Pass pass;
  std::shared_ptr<const IndexState> before;
  {
    const std::lock_guard lock(mutex_);
    before = view_.state;
    view_.walked = false;
  }
  const auto choice = search::FileChoice::compile(exclusions, "");
  CheckVisitor visitor(*before);
  auto report = search::walk(root_,
                             {.globs = choice ? choice->exclusions() : nullptr,
                              .threads = options_.threads,
                              .should_stop = [&] { return stop.stop_requested(); }},
                             visitor);
  if (!report || stop.stop_requested()) return;
  pass.walk = std::move(*report);
  pass.walked = true;
  pass.files = std::move(visitor.files);
  std::ranges::sort(pass.files, {}, &SeenFile::path);
  for (std::size_t i = 0; i < pass.files.size(); ++i)
    if (pass.files[i].changed) pass.changed.push_back(i);
  pass.differs = !pass.changed.empty() || pass.files.size() != before->files.size();
  read_changed(stop, pass);
  publish(pass, true);
}

void SymbolIndex::read_changed(const std::stop_token& stop, Pass& pass) {
  pass.answer.resize(pass.changed.size());
  pass.is_read.assign(pass.changed.size(), 0);
  if (pass.changed.empty()) return;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // of the pass and what is counted here
  Clock::time_point published = Clock::now();
  std::chrono::microseconds spent{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < pass.changed.size() && !stop.stop_requested(); i = next++) {
      const SeenFile& seen = pass.files[pass.changed[i]];
      const auto begun = Clock::now();
      auto file = read_file_anew(root_, seen, stop);
      if (stop.stop_requested()) break;  // the result is incomplete
      const auto now = Clock::now();
      const std::lock_guard lock(mutex);
      spent += std::chrono::duration_cast<std::chrono::microseconds>(now - begun);
      pass.answer[i] = std::move(file);
      pass.is_read[i] = 1;
      // Publish intermediate results for callers with earlier deadlines.
      if (now - published < kBetweenPublishing) continue;
      published = now;
      publish(pass, false);
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t threads =
        std::min<std::size_t>(search::walk_threads(options_.threads), pass.changed.size() / 4 + 1);
    for (std::size_t i = 1; i < threads; ++i)
      if (std::jthread helper; try_start_thread(helper, work)) helpers.push_back(std::move(helper));
    work();
  }
  const std::lock_guard lock(mutex_);
  unsaved_ += spent;
}

void SymbolIndex::publish(const Pass& pass, bool done) {
  std::shared_ptr<const IndexState> state;
  std::size_t pending = 0;
  if (pass.differs) {
    auto made = std::make_shared<IndexState>();
    made->files.reserve(pass.files.size());
    std::size_t next_changed = 0;
    for (std::size_t i = 0; i < pass.files.size(); ++i) {
      const bool is_changed = next_changed < pass.changed.size() && pass.changed[next_changed] == i;
      const std::size_t change = is_changed ? next_changed++ : 0;
      // A changed file that was not read yet is omitted, because its entry may be wrong.
      if (is_changed && pass.is_read[change] == 0) ++pending;
      const auto& file = is_changed ? pass.answer[change] : pass.files[i].known;
      if (!file) continue;
      made->symbols += file->symbols.size();
      made->files.push_back(file);
    }
    state = std::move(made);
  }
  const std::lock_guard lock(mutex_);
  if (state) view_.state = std::move(state);
  view_.pending = pending;
  view_.walked = pass.walked;
  if (done) view_.walk = pass.walk;
}

void SymbolIndex::save_if_worth_it() {
  if (options_.cache_path.empty()) return;
  std::shared_ptr<const IndexState> state;
  {
    const std::lock_guard lock(mutex_);
    if (unsaved_ < kWorthSaving) return;
    unsaved_ = {};
    state = view_.state;
  }
  if (const auto saved = save_index(options_.cache_path, state->files); !saved)
    logger_.warning("The symbol index could not be saved", {{"error", saved.error().message}});
}

}  // namespace helve::code
