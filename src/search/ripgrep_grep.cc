// The grep engine that runs ripgrep and gives the same answers as the built-in one.
#include "search/grep.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "search/hit_collector.h"
#include "search/pattern.h"
#include "search/ripgrep_process.h"
#include "search/search_scope.h"
#include "search/walker.h"

namespace helve::search {
namespace {

std::vector<std::string> arguments_for(const GrepQuery& query, bool one_file) {
  std::vector<std::string> arguments = {
      "--json",      "--no-config", "--no-messages",
      "--sort=path", "--no-mmap",   query.syntax.ignore_case ? "--ignore-case" : "--case-sensitive"};
  if (query.syntax.across_lines) arguments.emplace_back("--multiline");
  if (query.syntax.dot_matches_line_break) arguments.emplace_back("--multiline-dotall");
  if (query.syntax.crlf) arguments.emplace_back("--crlf");
  if (query.syntax.literal) arguments.emplace_back("--fixed-strings");
  if (query.hidden) arguments.emplace_back("--hidden");
  if (query.ignored) arguments.emplace_back("--no-ignore");
  if (query.syntax.whole == regex::SyntaxOptions::Whole::kWord) arguments.emplace_back("--word-regexp");
  if (query.syntax.whole == regex::SyntaxOptions::Whole::kLine) arguments.emplace_back("--line-regexp");
  if (query.invert) arguments.emplace_back("--invert-match");
  if (query.wanted == GrepQuery::Wanted::kMatches) {
    arguments.push_back(concat("--before-context=", query.lines_before));
    arguments.push_back(concat("--after-context=", query.lines_after));
  }
  // Globs are passed as file types, because --glob would include ignored files.
  for (const std::string& glob : query.file_globs) {
    arguments.push_back(glob.starts_with('!') ? "--glob=" + glob : "--type-add=helve:" + glob);
    if (!glob.starts_with('!')) arguments.emplace_back("--type=helve");
  }
  for (const std::string& glob : query.types.wanted) {
    arguments.push_back("--type-add=helve:" + glob);
    arguments.emplace_back("--type=helve");
  }
  for (const std::string& glob : query.rule_globs) arguments.push_back("--glob=" + glob);
  if (query.hidden) arguments.emplace_back("--glob=!.git/");
  if (one_file) arguments.emplace_back("--text");
  arguments.push_back("--regexp=" + query.pattern);
  arguments.emplace_back("--");
  arguments.emplace_back(one_file ? "-" : "./");
  return arguments;
}

// Removes context that belongs to no hit. ripgrep also prints context for hits before the cursor and for an
// empty match after the last line.
void drop_stray_context(FoundFile& file, const GrepQuery& query) {
  std::vector<bool> belongs(file.lines.size());
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const FoundLine& hit = file.lines[i];
    if (!hit.is_match()) continue;
    belongs[i] = true;
    for (std::size_t j = i; j > 0 && file.lines[j - 1].number + query.lines_before >= hit.number; --j)
      belongs[j - 1] = true;
    for (std::size_t j = i + 1;
         j < file.lines.size() && file.lines[j].number <= hit.last_number + query.lines_after; ++j)
      belongs[j] = true;
  }
  std::size_t i = 0;
  std::erase_if(file.lines, [&](const FoundLine&) { return !belongs[i++]; });
}

// Builds an answer from ripgrep's messages.
class Assembler {
 public:
  Assembler(const GrepQuery& query, std::string prefix, bool one_file)
      : query_(query), prefix_(std::move(prefix)), one_file_(one_file), builder_(query, answer_) {}

  // Returns false when the answer is full.
  bool add(const RipgrepMessage& message) {
    switch (message.kind) {
      case RipgrepMessage::Kind::kBegin:
        file_ = {.path = path_of(message)};
        if (query_.after && !one_file_) {
          skip_file_ = query_.after->line == 0 ? !walks_before(query_.after->path, file_.path)
                                               : walks_before(file_.path, query_.after->path);
        }
        after_line_ =
            query_.after && (one_file_ || file_.path == query_.after->path) ? query_.after->line : 0;
        return true;
      case RipgrepMessage::Kind::kMatch:
        add_match(message);
        // Stop within the file if there are more hits than needed.
        return query_.wanted != GrepQuery::Wanted::kMatches || file_.matches <= most_kept();
      case RipgrepMessage::Kind::kContext: add_context(message); return true;
      case RipgrepMessage::Kind::kEnd: return end_file(message.binary && !one_file_);
      case RipgrepMessage::Kind::kSummary: complete_ = true; return true;
      case RipgrepMessage::Kind::kOther: return true;
    }
    return true;
  }

  // Adds the hits of a file that was not read to its end.
  void cut() {
    if (file_.matches > 0) end_file(false);
  }
  [[nodiscard]] bool complete() const { return complete_; }
  GrepAnswer take() { return std::move(answer_); }

 private:
  // Hits over the limit may be context of the last counted hit.
  [[nodiscard]] std::size_t most_kept() const { return builder_.remaining() + 1 + query_.lines_after; }

  std::string path_of(const RipgrepMessage& message) const {
    if (one_file_) return prefix_;
    const std::string_view path = message.path;
    return concat(prefix_, path.starts_with("./") ? path.substr(2) : path);
  }

  // Adds one hit per line on which a match begins.
  void add_match(RipgrepMessage message) {
    if (skip_file_) return;
    if (query_.invert) message.matches = {{0, 0}};
    std::string_view text = message.lines;
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (std::size_t i = 0; i < message.matches.size();) {
      const auto line = line_around(text, std::min(message.matches[i].begin, text.size()));
      LineSearch::Hit hit = line;
      std::vector<Submatch> matches;
      for (; i < message.matches.size() && message.matches[i].begin <= line.end; ++i) {
        const Submatch match = message.matches[i];
        const std::size_t last = match.end > match.begin ? match.end - 1 : match.end;
        if (query_.syntax.across_lines)
          hit.end = std::max(hit.end, line_end(text, std::min(last, text.size())));
        if (matches.size() < kMostSubmatches)
          matches.push_back({match.begin - hit.begin, match.end - hit.begin});
      }
      const auto breaks = std::ranges::count(text.substr(0, hit.begin), '\n');
      const std::size_t number = message.line_number + static_cast<std::size_t>(breaks);
      if (number <= after_line_) continue;
      ++file_.matches;
      if (query_.wanted != GrepQuery::Wanted::kMatches || file_.matches > most_kept()) continue;
      FoundLine found{.number = number, .matches = std::move(matches)};
      show_line(found, text.substr(hit.begin, hit.end - hit.begin), query_.longest_line);
      file_.lines.push_back(std::move(found));
    }
  }

  void add_context(const RipgrepMessage& message) {
    if (skip_file_ || file_.matches > most_kept()) return;
    if (message.line_number <= after_line_) return;
    std::string_view text = message.lines;
    if (text.ends_with('\n')) text.remove_suffix(1);
    FoundLine found{.number = message.line_number};
    show_line(found, text, query_.longest_line);
    file_.lines.push_back(std::move(found));
  }

  bool end_file(bool binary) {
    FoundFile file = std::exchange(file_, {});
    skip_file_ = false;
    if (query_.hides && query_.hides(file.path)) return true;
    if (binary && file.matches > 0) ++answer_.binary_files;
    if (binary) return true;
    drop_stray_context(file, query_);
    return builder_.add(std::move(file));
  }

  const GrepQuery& query_;
  const std::string prefix_;
  const bool one_file_;
  FoundFile file_;
  bool skip_file_ = false;
  std::size_t after_line_ = 0;
  bool complete_ = false;
  GrepAnswer answer_{.files_searched = std::nullopt, .engine = "ripgrep"};
  AnswerBuilder builder_;
};

// Counts files, to explain an empty answer. ripgrep does not report what it skipped.
class CountingVisitor final : public Visitor {
 public:
  explicit CountingVisitor(const FileChoice& choice) : choice_(choice) {}

  std::unique_ptr<Findings> visit(unsigned /*worker*/, const FileBatch& /*batch*/) override { return {}; }
  bool commit(std::unique_ptr<Findings> /*findings*/, const FileBatch& batch) override {
    for (const FileEntry& file : batch.files) {
      if (choice_.chooses(concat(batch.directory_path, file.name))) ++files_;
    }
    return true;
  }
  [[nodiscard]] std::size_t files() const { return files_; }

 private:
  const FileChoice& choice_;
  std::size_t files_ = 0;
};

}  // namespace

Expected<GrepAnswer> grep_ripgrep(const workspace::Root& root, const GrepQuery& query,
                                  const std::string& program, const ShouldStop& should_stop) {
  if (const auto pattern = regex::parse(query.pattern, query.syntax); !pattern) return fail(pattern.error());
  const auto start = find_start(root, query.path);
  if (!start) return fail(start.error());
  const auto choice = choice_for(query, start->directory);
  if (!choice) return fail(choice.error());
  if (query.follow || query.newest_first || query.wanted == GrepQuery::Wanted::kFilesWithout ||
      query.most_per_file < std::numeric_limits<std::size_t>::max() || !query.types.unwanted.empty() ||
      (!query.types.wanted.empty() && !query.file_globs.empty()))
    return fail(ErrorCode::kUnavailable, "it does not support these options");
  // ripgrep runs in the start directory, whose descriptor cannot be replaced, and its file types do not
  // support paths.
  const bool one_file = start->file.has_value();
  const auto has_path = [](const std::string& glob) { return glob.find_first_of("/(") != std::string::npos; };
  if (!one_file &&
      (std::ranges::any_of(query.file_globs, has_path) || std::ranges::any_of(query.rule_globs, has_path)))
    return fail(ErrorCode::kUnavailable, "it does not support globs with a path or a group");

  UniqueFd directory;
  if (!one_file) {
    auto opened = root.open_directory(start->directory.empty() ? "." : start->directory);
    if (!opened) return fail(opened.error());
    directory = std::move(opened->fd);
  }
  auto process = RipgrepProcess::start({.program = program,
                                        .arguments = arguments_for(query, one_file),
                                        .directory = directory.get(),
                                        .input = one_file ? start->file->fd.get() : -1});
  if (!process) return fail(ErrorCode::kUnavailable, process.error().message);

  std::string prefix = one_file ? start->file->path : start->directory;
  if (!one_file && !prefix.empty()) prefix += '/';
  Assembler assembler(query, std::move(prefix), one_file);
  bool full = false;
  bool stopped = false;
  std::string_view line;
  while (!full && !assembler.complete()) {
    const auto read = process->next_line(line, should_stop);
    if (read == RipgrepProcess::Read::kStopped) {
      stopped = true;
      assembler.cut();
      break;
    }
    auto message = read == RipgrepProcess::Read::kLine ? parse_message(line) : std::nullopt;
    if (!message)
      return fail(ErrorCode::kUnavailable,
                  read == RipgrepProcess::Read::kEnd ? "it exited early" : "its output could not be parsed");
    full = !assembler.add(*message);
  }
  if (full) assembler.cut();
  GrepAnswer answer = assembler.take();
  answer.stopped = stopped;
  if (one_file) answer.files_searched = 1;
  if (answer.files_found == 0 && !one_file && !stopped) {
    CountingVisitor visitor(*choice);
    auto report = walk(root,
                       {.start = start->directory,
                        .hidden = query.hidden,
                        .ignored = query.ignored,
                        .globs = choice->exclusions(),
                        .should_stop = should_stop},
                       visitor);
    if (report) {
      answer.files_searched = visitor.files();
      answer.walk = std::move(*report);
    }
  }
  return answer;
}

}  // namespace helve::search
