// Files: small reads, ranges of a huge file, an edit in a large one, diffs; beside system calls and usual
// programs.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "helve/runtime.h"
#include "measure.h"
#include "patch/diff.h"

namespace helve::bench {
namespace {

std::string lines(std::size_t count, std::mt19937& random) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "line " + std::to_string(i) + " holds " + std::to_string(random()) + " and more\n";
  return text;
}

std::string with_edits(const std::string& text, std::size_t every, std::mt19937& random) {
  std::string out;
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at) + 1;
    if (line % every == every / 2)
      out += "changed to " + std::to_string(random()) + "\n";
    else
      out.append(text, at, end - at);
    at = end;
  }
  return out;
}

void put(const std::string& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string get(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count = ::read(fd, bytes.data() + at, bytes.size() - at);
    if (count <= 0) break;
    at += static_cast<std::size_t>(count);
  }
  ::close(fd);
  return bytes;
}

// The least that an edit must do: read, find, write a new file, sync it, put it in place.
void edit_by_hand(const std::string& path, std::string_view from, std::string_view to) {
  const std::string bytes = get(path);
  const void* found = ::memmem(bytes.data(), bytes.size(), from.data(), from.size());
  if (found == nullptr) return;
  const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
  const std::string temporary = path + ".new";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const auto write_all = [fd](const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t count = ::write(fd, data, size);
      if (count <= 0) return;
      data += count;
      size -= static_cast<std::size_t>(count);
    }
  };
  write_all(bytes.data(), at);
  write_all(to.data(), to.size());
  write_all(bytes.data() + at + from.size(), bytes.size() - at - from.size());
  ::fsync(fd);
  ::close(fd);
  ::rename(temporary.c_str(), path.c_str());
}

}  // namespace

void bench_files() {
  std::string directory = (std::filesystem::temp_directory_path() / "helve-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) return;
  std::mt19937 random(1);
  const auto file = [&](const char* name) { return directory + "/" + name; };
  Settings settings;
  settings.mode = Mode::kFull;
  settings.audit.enabled = false;
  auto runtime = Runtime::create(
                     {.workspace = directory, .settings = settings, .state_directory = directory + "/.state"})
                     .value();
  const auto call = [&](const char* tool, JsonObject arguments) {
    if (!runtime->call({.tool = tool, .arguments = std::move(arguments)}).ok())
      std::printf("(a %s call failed)\n", tool);
  };

  print_heading("Reading");
  put(file("small.txt"), lines(20, random));
  print_rows("small file", measure({{"open, read, close",
                                     [&] {
                                       char buffer[4096];
                                       const int fd = ::open(file("small.txt").c_str(), O_RDONLY);
                                       [[maybe_unused]] const ssize_t count =
                                           ::read(fd, buffer, sizeof buffer);
                                       ::close(fd);
                                     }},
                                    {"read", [&] { call("read", {{"path", "small.txt"}}); }}},
                                   100, 100));
  {
    std::ofstream huge(file("huge.log"), std::ios::binary);
    const std::string block = lines(200'000, random);
    for (std::size_t written = 0; written < std::size_t{1} << 30; written += block.size()) huge << block;
  }
  print_rows(
      "lines 100,000–100,100 of 1 GB",
      measure({{"sed -n (quits there)",
                [&] { run_program({"sed", "-n", "100000,100100p;100100q", file("huge.log")}); }},
               {"read", [&] { call("read", {{"path", "huge.log"}, {"offset", 100'000}, {"limit", 101}}); }}},
              10));
  print_rows("last line of 1 GB, which needs the count of all",
             measure({{"wc -l", [&] { run_program({"wc", "-l", file("huge.log")}); }},
                      {"read", [&] { call("read", {{"path", "huge.log"}, {"offset", -1}}); }}},
                     5));

  print_heading("Editing one word in 100 MB");
  std::string large;
  while (large.size() < 100'000'000) large += lines(100'000, random);
  large += "the NEEDLE is here\n";
  put(file("by_hand.txt"), large);
  put(file("by_tool.txt"), large);
  put(file("by_sed.txt"), large);
  int turn = 0;
  const auto words = [&] {
    return turn % 2 == 0 ? std::pair("NEEDLE", "needle!") : std::pair("needle!", "NEEDLE");
  };
  print_rows(
      "edit",
      measure({{"read, memmem, write, fsync, rename",
                [&] { edit_by_hand(file("by_hand.txt"), words().first, words().second); }},
               {"edit",
                [&] {
                  call("edit",
                       {{"path", "by_tool.txt"}, {"oldText", words().first}, {"newText", words().second}});
                }},
               {"sed -i",
                [&] {
                  run_program({"sed", "-i", std::string("s/") + words().first + "/" + words().second + "/",
                               file("by_sed.txt")});
                  ++turn;
                }}},
              7));

  print_heading("Diff of two files with 100,000 lines");
  const std::string old_text = lines(100'000, random);
  put(file("old.txt"), old_text);
  for (const auto& [what, every] :
       {std::pair("100 lines changed", 1000), std::pair("10,000 lines changed", 10),
        std::pair("every second line changed", 2)}) {
    const std::string new_text = with_edits(old_text, static_cast<std::size_t>(every), random);
    put(file("new.txt"), new_text);
    print_rows(
        what,
        measure(
            {{"unified_diff", [&] { (void)patch::unified_diff(get(file("old.txt")), get(file("new.txt"))); }},
             {"diff -u", [&] { run_program({"diff", "-u", file("old.txt"), file("new.txt")}); }},
             {"git diff --no-index",
              [&] { run_program({"git", "diff", "--no-index", file("old.txt"), file("new.txt")}); }}},
            7));
  }
  std::filesystem::remove_all(directory);
}

}  // namespace helve::bench
