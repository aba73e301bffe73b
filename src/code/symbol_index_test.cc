#include "code/symbol_index.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/strings.h"
#include "base/test_directory.h"
#include "code/symbol_search.h"

namespace helve::code {
namespace {

using namespace std::chrono_literals;

// Large enough that the parser polls should_stop.
std::string repeated_lines(const std::string& text) {
  std::string all;
  for (int i = 0; i < 10'000; ++i) all += text;
  return all;
}

class SymbolIndexTest : public ::testing::Test {
 protected:
  SymbolIndexTest() { directory_.make("w"); }

  void put(const std::string& name, std::string_view content) { directory_.write("w/" + name, content); }
  SymbolIndex& index() {
    if (!root_) root_.emplace(workspace::Root::open(directory_.at("w")).value());
    if (!index_)
      index_ = std::make_unique<SymbolIndex>(*root_, logger_, SymbolIndex::Options{.cache_path = cache()});
    return *index_;
  }
  void restart() { index_.reset(); }
  std::string cache() const { return directory_.at("state/code/x.symbols"); }
  // "path:name" of all symbols, in order.
  std::string all() {
    const IndexView view = index().refresh({});
    EXPECT_TRUE(view.complete);
    std::vector<std::string> names;
    for (const auto& file : view.state->files)
      for (const IndexedSymbol& symbol : file->symbols)
        names.push_back(concat(file->path, ":", file->name_of(symbol)));
    return join(names, " ");
  }
  // Enough work to be worth saving.
  void put_much(std::size_t files = 60) {
    std::string text;
    for (int i = 0; i < 400; ++i)
      text += concat("def function_", i, "(a, b=1):\n    return [x for x in a if x]\n\n");
    for (std::size_t i = 0; i < files; ++i) put(concat("much/f", i, ".py"), text);
  }

  TestDirectory directory_;
  Logger logger_{LogLevel::kError, Logger::Format::kPlain};
  std::optional<workspace::Root> root_;
  std::unique_ptr<SymbolIndex> index_;
};

TEST_F(SymbolIndexTest, FindsSymbolsButNotInIgnoredFiles) {
  put("b.py", "def g(): pass\n");
  put("a/x.go", "package x\nfunc F() {}\n");
  put("build/y.py", "def ignored(): pass\n");
  put(".hidden.py", "def hidden(): pass\n");
  put("notes.txt", "def text(): pass\n");
  put("script", "#!/bin/sh\nrun() { :; }\n");
  put(".ignore", "build/\n");
  EXPECT_EQ(all(), "a/x.go:F b.py:g script:run");
}

TEST_F(SymbolIndexTest, SeesChangesOnDisk) {
  put("a.py", "def one(): pass\n");
  EXPECT_EQ(all(), "a.py:one");
  put("a.py", "def two(): pass\n");  // of the same size, within the same moment
  EXPECT_EQ(all(), "a.py:two");
  put("b.py", "def three(): pass\n");
  EXPECT_EQ(all(), "a.py:two b.py:three");
  std::filesystem::rename(directory_.at("w/a.py"), directory_.at("w/c.py"));
  EXPECT_EQ(all(), "b.py:three c.py:two");
  std::filesystem::remove(directory_.at("w/b.py"));
  EXPECT_EQ(all(), "c.py:two");
}

TEST_F(SymbolIndexTest, SeesChangesWithAnOldTimestamp) {
  put("a.py", "def one(): pass\n");
  const auto old = std::filesystem::file_time_type::clock::now() - 1h;
  std::filesystem::last_write_time(directory_.at("w/a.py"), old);
  EXPECT_EQ(all(), "a.py:one");
  std::this_thread::sleep_for(20ms);
  put("a.py", "def two(): pass\n");
  std::filesystem::last_write_time(directory_.at("w/a.py"), old);
  EXPECT_EQ(all(), "a.py:two");
}

TEST_F(SymbolIndexTest, IsSavedForTheNextProcess) {
  put_much();
  const std::string before = all();
  restart();
  ASSERT_TRUE(directory_.exists("state/code/x.symbols"));
  EXPECT_EQ(std::filesystem::status(cache()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto loaded = load_index(cache());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->size(), 60U);
  EXPECT_EQ(all(), before);
  put("much/f0.py", "def changed(): pass\n");
  restart();
  EXPECT_EQ(all().substr(0, 24), "much/f0.py:changed much/");
}

TEST_F(SymbolIndexTest, TheNextProcessParsesFilesThatTimedOut) {
  const std::string text = "def late(): pass\n";
  put("a.py", text);
  EXPECT_EQ(all(), "a.py:late");
  const auto whole = index().refresh({}).state->files.front();
  restart();
  IndexedFile cut = index_file("a.py", repeated_lines(text), whole->stamp, [] { return true; });
  ASSERT_EQ(cut.skipped, "parsing it took too long");
  cut.recent = false;
  cut.hash = whole->hash;
  ASSERT_TRUE(save_index(cache(), {std::make_shared<IndexedFile>(std::move(cut))}));
  EXPECT_EQ(all(), "a.py:late");
}

TEST_F(SymbolIndexTest, RebuildsADamagedCache) {
  put_much();
  const std::string before = all();
  restart();
  const std::string good = directory_.read("state/code/x.symbols");
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    EXPECT_FALSE(decode_index(bad)) << at;
    directory_.write("state/code/x.symbols", bad);
    EXPECT_EQ(all(), before);
    restart();
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() / 2, good.size() - 1})
    EXPECT_FALSE(decode_index(std::string_view(good).substr(0, size))) << size;
  EXPECT_FALSE(decode_index(good + "x"));
  EXPECT_TRUE(decode_index(good));
}

TEST_F(SymbolIndexTest, TwoProcessesCanShareTheCache) {
  put_much(20);
  const std::string expected = all();
  restart();
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 5; ++round) {
        const auto root = workspace::Root::open(directory_.at("w"));
        std::filesystem::remove(cache());
        SymbolIndex other(*root, logger_, {.cache_path = cache()});
        const IndexView view = other.refresh({});
        good = good && view.complete && view.state->symbols == 8000;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(all(), expected);
}

TEST_F(SymbolIndexTest, ReportsADeadlineAndContinues) {
  put_much();
  const IndexView early = index().refresh({.deadline = std::chrono::steady_clock::now()});
  EXPECT_FALSE(early.complete);
  EXPECT_LT(early.state->symbols, 60U * 400);
  const IndexView late = index().refresh({});
  EXPECT_TRUE(late.complete);
  EXPECT_EQ(late.state->symbols, 60U * 400);
  EXPECT_EQ(late.pending, 0U);
}

TEST_F(SymbolIndexTest, KeepsPartialWorkWhenStopped) {
  put_much(200);
  (void)index().refresh({.deadline = std::chrono::steady_clock::now() + 50ms});
  restart();  // must not wait for the rest
  const IndexView view = index().refresh({});
  EXPECT_TRUE(view.complete);
  EXPECT_EQ(view.state->symbols, 200U * 400);
}

TEST_F(SymbolIndexTest, ServesConcurrentRequests) {
  put_much(10);
  std::vector<std::jthread> threads;
  std::atomic<int> good = 0;
  SymbolIndex& shared = index();
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        put(concat("own", i, ".py"), concat("def f", i, "_", round, "(): pass\n"));
        const IndexView view = shared.refresh({});
        const auto found = search_symbols(*view.state, NameQuery(concat("f", i, "_", round)), {}, 5);
        if (view.complete && !found.symbols.empty() && found.symbols.front().fit.fit == NameFit::kExact)
          ++good;
      }
    });
  threads.clear();
  EXPECT_EQ(good, 30);
}

TEST_F(SymbolIndexTest, DoesNotReadExcludedFiles) {
  put("a.py", "def one(): pass\n");
  put("secrets/b.py", "def two(): pass\n");
  const IndexView view = index().refresh({.exclusions = {"!/secrets/**"}});
  EXPECT_EQ(view.state->symbols, 1U);
}

TEST_F(SymbolIndexTest, IgnoresSymlinksAndFifos) {
  put("a.py", "def one(): pass\n");
  directory_.link("a.py", "w/link.py");
  ASSERT_EQ(::mkfifo(directory_.at("w/fifo.py").c_str(), 0600), 0);
  EXPECT_EQ(all(), "a.py:one");
}

TEST_F(SymbolIndexTest, SkippedFilesHaveAReason) {
  put("a.py", std::string("\0\1\2\3", 4) + std::string(100, '\0'));
  const IndexView view = index().refresh({});
  ASSERT_EQ(view.state->files.size(), 1U);
  EXPECT_EQ(view.state->files[0]->skipped, "it is a binary file");
}

TEST_F(SymbolIndexTest, RanksTheMostUsedFirst) {
  put("lib.py",
      "class Store:\n    def open_it(self): pass\n\ndef helper_one(): pass\n\ndef never_used(): pass\n");
  for (int i = 0; i < 5; ++i)
    put(concat("use", i, ".py"), "from lib import helper_one\nhelper_one()\nStore # Store in a comment\n");
  const IndexView view = index().refresh({});
  const auto ranked = rank_symbols(*view.state, {}, 10);
  ASSERT_EQ(ranked.size(), 4U);
  EXPECT_EQ(ranked[0].name(), "helper_one");
  EXPECT_EQ(ranked[1].name(), "Store");
}

TEST_F(SymbolIndexTest, NearNamesAreFromTheWorkspace) {
  put("lib.py", "def read_config(): pass\ndef write_config(): pass\n");
  const IndexView view = index().refresh({});
  EXPECT_EQ(near_names(*view.state, "raed_config", {}), std::vector<std::string>{"read_config"});
}

}  // namespace
}  // namespace helve::code
