// Search of contents and of names, beside ripgrep: the same trees, the same queries, alternately.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "measure.h"
#include "search/find.h"
#include "search/grep.h"
#include "search/pattern.h"

namespace helve::bench {
namespace {

using search::GrepQuery;

bool never() { return false; }

struct Query {
  std::string name;
  GrepQuery query;
  std::vector<std::string> ripgrep;  // the arguments that ask the same
};

Query counting(std::string name, std::string pattern, bool ignore_case = false) {
  GrepQuery query{.pattern = pattern, .wanted = GrepQuery::Wanted::kCounts, .most_matches = 1'000'000};
  query.syntax.ignore_case = ignore_case;
  query.syntax.crlf = search::wants_crlf(pattern, query.syntax);
  return {std::move(name), std::move(query), {"--count", ignore_case ? "-i" : "-s", "-e", pattern}};
}

std::vector<Query> queries() {
  std::vector<Query> all = {
      counting("literal", "PM_RESUME"),
      counting("common word", "return"),
      counting("any case", "suspend", true),
      counting("two literals", "TODO|FIXME"),
      counting("ten literals",
               "mutex_lock|spin_lock|rcu_read|kmalloc|kfree|printk|dev_err|pr_info|BUG_ON|WARN_ON"),
      counting("word", "\\bmutex\\b"),
      counting("call", "\\w+_init\\("),
      counting("class and literal", "[A-Z]+_SUSPEND"),
      counting("date", "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
      counting("words in a row", "\\w{5}\\s+\\w{5}\\s+\\w{5}"),
      counting("long lines", "^.{120,}$"),
      counting("Unicode", "[äöüéèñ]"),
      counting("Unicode class", "\\p{Greek}"),
      counting("no match", "zqxjkvbn"),
  };
  Query over_lines = counting("over lines", "\\{\\n\\s*return");
  over_lines.query.syntax.across_lines = true;
  over_lines.ripgrep.insert(over_lines.ripgrep.begin(), {"--multiline"});
  all.push_back(std::move(over_lines));
  Query lines = counting("lines with text", "PM_SUSPEND|regulator");
  lines.query.wanted = GrepQuery::Wanted::kMatches;
  lines.ripgrep.front() = "--line-number";
  all.push_back(std::move(lines));
  return all;
}

// The least that any search has to do: walk, open, read, close.
class ReadingVisitor final : public search::Visitor {
 public:
  std::unique_ptr<Findings> visit(unsigned /*worker*/, const search::FileBatch& batch) override {
    thread_local const auto buffer = std::make_unique_for_overwrite<char[]>(kSize);
    for (const search::FileEntry& file : batch.files) {
      const int fd =
          ::openat(batch.directory_fd, file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
      while (fd >= 0 && ::read(fd, buffer.get(), kSize) == static_cast<ssize_t>(kSize)) {
      }
      ::close(fd);
    }
    return {};
  }
  bool commit(std::unique_ptr<Findings> /*findings*/, const search::FileBatch& /*batch*/) override {
    return true;
  }

 private:
  static constexpr std::size_t kSize = std::size_t{128} << 10;
};

// Timings of Helve and the ripgreps; one that was left out has none.
void print_row(const std::string& name, const std::vector<Timing>& timings) {
  std::printf("| %s |", name.c_str());
  const auto print = [&](double value, const char* format) {
    if (value > 0)
      std::printf(format, value);
    else
      std::printf(" – |");
  };
  for (const Timing& timing : timings) print(timing.median_us / 1000, " %.1f |");
  for (std::size_t i = 1; i < timings.size(); ++i)
    print(timings[i].median_us / timings[0].median_us, " %.2f |");
  for (std::size_t i = 1; i < timings.size(); ++i) print(timings[i].best_us / timings[0].best_us, " %.2f |");
  std::printf("\n");
  std::fflush(stdout);
}

void bench_tree(const std::string& title, const std::string& tree, const std::vector<std::string>& ripgreps,
                int rounds) {
  const auto root = workspace::Root::open(tree);
  if (!root) return;
  print_title("Search of " + title);
  std::printf(
      "Milliseconds (median of %d), then how many times as long ripgrep takes: median by median, best by "
      "best.\n\n",
      rounds);
  std::printf(
      "| query | Helve | ripgrep 13 | ripgrep 15 | 13, median | 15, median | 13, best | 15, best |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  const auto beside = [&](const std::string& name, const std::function<void()>& ours,
                          const std::vector<std::string>& arguments) {
    // ripgrep 13 takes half a minute for a pattern that goes over lines.
    const bool newest_only = arguments.front() == "--multiline";
    std::vector<Contender> contenders = {{"Helve", ours}};
    for (const std::string& ripgrep : ripgreps) {
      if (newest_only && &ripgrep != &ripgreps.back()) continue;
      std::vector<std::string> words = {ripgrep, "--no-config"};
      words.insert(words.end(), arguments.begin(), arguments.end());
      words.push_back(tree);
      contenders.push_back({"ripgrep", [words] { run_program(words); }});
    }
    std::vector<Timing> timings = measure(contenders, rounds);
    if (newest_only) timings.insert(timings.begin() + 1, Timing{});
    print_row(name, timings);
  };
  for (const Query& query : queries()) {
    GrepQuery asked = query.query;
    if (asked.wanted == GrepQuery::Wanted::kMatches) asked.most_matches = 1'000'000;
    beside(query.name, [&] { (void)search::grep_builtin(*root, asked, never); }, query.ripgrep);
  }
  beside("file names",
         [&] {
           (void)search::find_files(*root, {.globs = {"*"}, .most_results = 1'000'000, .details = false},
                                    never);
         },
         {"--files"});
  beside("nothing but reading (Helve's floor)",
         [&] {
           ReadingVisitor visitor;
           (void)search::walk(*root, {}, visitor);
         },
         {"--count", "-e", "zqxjkvbn"});
  // A model asks for the first ones. ripgrep can give those in order only by going through everything.
  beside("the first 100 of a common word, in order",
         [&] { (void)search::grep_builtin(*root, {.pattern = "return"}, never); },
         {"--sort=path", "--line-number", "-e", "return"});
}

}  // namespace

void bench_search(const std::string& big_tree, const std::string& small_tree,
                  const std::string& newest_ripgrep) {
  const std::vector<std::string> ripgreps = {"rg", newest_ripgrep};
  bench_tree("the Linux source", big_tree, ripgreps, 11);
  bench_tree("its network drivers", big_tree + "/drivers/net", ripgreps, 21);
  bench_tree("this repository", small_tree, ripgreps, 41);
  bench_tree("one module of it", small_tree + "/src/workspace", ripgreps, 41);
}

}  // namespace helve::bench
