// Code understanding: the index of a big tree beside universal-ctags, questions to it, outlines, memory.
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "code/extract.h"
#include "code/outline.h"
#include "code/symbol_index.h"
#include "code/symbol_search.h"
#include "helve/runtime.h"
#include "measure.h"

namespace helve::bench {
namespace {

using code::IndexView;
using code::SymbolIndex;

double seconds(const std::function<void()>& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

// Of this process or of its children, for a machine that is busy with other things.
double processor_seconds(int who) {
  struct rusage usage{};
  ::getrusage(who, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double resident_megabytes() {
  std::ifstream status("/proc/self/statm");
  long pages = 0;
  status >> pages >> pages;
  return static_cast<double>(pages) * 4096 / (1 << 20);
}

struct Size {
  std::size_t files = 0;
  double megabytes = 0;
};

Size size_of(const code::IndexState& state) {
  Size size{.files = state.files.size()};
  for (const auto& file : state.files) size.megabytes += static_cast<double>(file->stamp.size) / (1 << 20);
  return size;
}

void row(const char* what, double value, const char* unit) {
  std::printf("| %s | %.4g %s |\n", what, value, unit);
}

std::string large_source() {
  std::string text;
  for (int i = 0; text.size() < (std::size_t{3} << 20); ++i)
    text += "class Part" + std::to_string(i) +
            ":\n    \"\"\"A part.\"\"\"\n\n    def work(self, first, second=1):\n        if first and "
            "second:\n            "
            "return [x for x in first if x]\n        return None\n\n";
  return text;
}

// A tree with as many definitions as a large workspace.
void write_definitions(const std::string& directory, int files, int each) {
  for (int i = 0; i < files; ++i) {
    std::ofstream file(directory + "/module" + std::to_string(i) + ".py");
    for (int j = 0; j < each; ++j)
      file << "def handle_request_" << i << "_" << j << "(request, response):\n    return request\n\n";
  }
}

}  // namespace

void bench_code(const std::string& tree) {
  const auto scratch = std::filesystem::temp_directory_path() / "helve-bench-code";
  std::filesystem::remove_all(scratch);
  std::filesystem::create_directories(scratch / "many");
  Logger logger(LogLevel::kError, Logger::Format::kPlain);
  print_title("Code");
  std::printf("| what | value |\n|---|---|\n");
  const auto root = workspace::Root::open(tree);
  if (!root) return;
  const SymbolIndex::Options options{.cache_path = (scratch / "state/index.symbols").string()};
  Size size;
  const double before = resident_megabytes();
  double built = 0;
  double spent = 0;  // processor time
  {
    SymbolIndex index(*root, logger, options);
    IndexView view;
    const double used = processor_seconds(RUSAGE_SELF);
    built = seconds([&] { view = index.refresh({}); });
    spent = processor_seconds(RUSAGE_SELF) - used;
    size = size_of(*view.state);
    row("index build", built, "s");
    row("files", static_cast<double>(size.files), "");
    row("source", size.megabytes, "MB");
    row("definitions", static_cast<double>(view.state->symbols), "");
    row("speed", static_cast<double>(size.files) / built, "files/s");
    row("speed", size.megabytes / built, "MB/s");
    row("processor time", spent, "s");
    row("speed of one processor", size.megabytes / spent, "MB/s");
    double memory = 0;
    for (const auto& file : view.state->files) memory += static_cast<double>(file->memory()) / (1 << 20);
    row("the index in memory", memory, "MB");
    row("process grown by", resident_megabytes() - before, "MB");
    row("look at all files again, nothing changed", 1000 * seconds([&] { view = index.refresh({}); }), "ms");
  }
  const double tagged =
      seconds([&] { run_program({"ctags", "-R", "--fields=+nK", "-f", (scratch / "tags").string(), tree}); });
  row("universal-ctags -R on the same tree, one thread", tagged, "s");
  row("Helve's time by that of ctags", built / tagged, "");
  row("the same by processor time", spent / processor_seconds(RUSAGE_CHILDREN), "");
  row("the index on disk", static_cast<double>(std::filesystem::file_size(options.cache_path)) / (1 << 20),
      "MB");
  row("a new process loads it and looks at all files", 1000 * seconds([&] {
                                                         SymbolIndex index(*root, logger, options);
                                                         (void)index.refresh({});
                                                       }),
      "ms");

  write_definitions((scratch / "many").string(), 1000, 100);
  const auto many = workspace::Root::open((scratch / "many").string());
  SymbolIndex index(*many, logger, {});
  IndexView view = index.refresh({});
  // A change within the same tick of the clock would not be seen by the time, so young files are read again.
  row("look at 1,000 files, all written within two seconds",
      1000 * seconds([&] { view = index.refresh({}); }), "ms");
  for (const auto& file : std::filesystem::directory_iterator(scratch / "many"))
    std::filesystem::last_write_time(file, file.last_write_time() - std::chrono::hours(1));
  view = index.refresh({});
  row("small tree: definitions", static_cast<double>(view.state->symbols), "");
  for (const char* const query : {"handle_request_500_50", "handle_req", "hr500", "reqeust_5"}) {
    const auto timings =
        measure({{query, [&] { (void)code::search_symbols(*view.state, code::NameQuery(query), {}, 20); }},
                 {query,
                  [&] {
                    const IndexView fresh = index.refresh({});
                    (void)code::search_symbols(*fresh.state, code::NameQuery(query), {}, 20);
                  }}},
                21);
    row((std::string("warm query ") + query + ", names alone").c_str(), timings[0].median_us / 1000, "ms");
    row((std::string("warm query ") + query + ", with a look at all files").c_str(),
        timings[1].median_us / 1000, "ms");
  }
  const std::string large = large_source();
  const double used = processor_seconds(RUSAGE_SELF);
  const auto timings = measure({{"outline",
                                 [&] {
                                   const auto analysis =
                                       code::extract(large, "python", code::Depth::kDetails, {});
                                   (void)code::make_outline(analysis, large, 20'000);
                                 }}},
                               5);
  row("outline of a file of 3 MB", timings[0].median_us / 1000, "ms");
  row("the same, processor time", 1000 * (processor_seconds(RUSAGE_SELF) - used) / 5, "ms");
  std::filesystem::remove_all(scratch);
}

}  // namespace helve::bench
