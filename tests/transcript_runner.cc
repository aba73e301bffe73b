// Runs transcripts: text files with commands and what they must print, for everyone to read and add to.
//
//   $ helve call ls '{}'          a command for bash; lines that start with "> " continue it
//   {"ok":false,…}                what it prints, stdout and stderr together; … stands for any text
//   [1]                           its exit code, when that is not 0
//   # anything                    a comment; it ends the output, as do empty lines before it or a command
//
// Each transcript runs in a directory of its own, as the workspace, with HOME and the XDG directories beside
// it. Usage: transcript_runner [--update] PROGRAM_DIRECTORY TRANSCRIPT…
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace {

namespace fs = std::filesystem;
using helve::concat;

struct Step {
  std::vector<std::string> lines;  // as they stand in the file, comments before it included
  std::string command;
  std::vector<std::string> expected;
};

std::vector<Step> read_transcript(const fs::path& path) {
  std::ifstream file(path);
  std::vector<Step> steps;
  std::vector<std::string> before;  // comments and empty lines that may belong to the next step
  for (std::string line; std::getline(file, line);) {
    const bool only_empty_before = std::ranges::all_of(before, &std::string::empty);
    const bool in_output = !steps.empty() && only_empty_before;
    if (line.starts_with("$ ")) {
      steps.push_back({std::exchange(before, {}), line.substr(2), {}});
      steps.back().lines.push_back(line);
    } else if (line.starts_with("> ") && in_output && steps.back().expected.empty()) {
      steps.back().command += concat("\n", line.substr(2));
      steps.back().lines.push_back(line);
    } else if (line.starts_with("#") || line.empty() || !in_output) {
      before.push_back(line);
    } else {
      for (std::string& empty : std::exchange(before, {})) steps.back().expected.push_back(std::move(empty));
      steps.back().expected.push_back(line);
    }
  }
  return steps;
}

// … matches any text, also itself.
bool matches(std::string_view pattern, std::string_view text) {
  constexpr std::string_view kAny = "…";
  std::size_t at = pattern.find(kAny);
  if (at == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, at))) return false;
  text.remove_prefix(at);
  pattern.remove_prefix(at + kAny.size());
  while ((at = pattern.find(kAny)) != std::string_view::npos) {
    const std::size_t found = text.find(pattern.substr(0, at));
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + at);
    pattern.remove_prefix(at + kAny.size());
  }
  return text.size() >= pattern.size() && text.ends_with(pattern);
}

bool matches(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  if (expected.size() != actual.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!matches(expected[i], actual[i])) return false;
  return true;
}

std::vector<std::string> run(const std::string& command, const fs::path& directory) {
  const fs::path script = directory / "command.sh";
  std::ofstream(script) << command << "\n";
  FILE* const pipe = ::popen(
      concat("cd '", (directory / "workspace").string(), "' && bash '", script.string(), "' 2>&1 </dev/null")
          .c_str(),
      "r");
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), count);
  const int status = ::pclose(pipe);
  output = helve::replace_all(output, directory.string(), "$TMP");
  std::vector<std::string> lines;
  while (output.ends_with('\n')) output.pop_back();
  if (!output.empty())
    for (const std::string_view line : helve::split(output, '\n')) lines.emplace_back(line);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code != 0) lines.push_back(concat("[", code, "]"));
  return lines;
}

// The number of steps that did not match.
int play(const fs::path& path, bool update) {
  std::string name = (fs::temp_directory_path() / "helve-transcript-XXXXXX").string();
  const fs::path directory = fs::canonical(::mkdtemp(name.data()));
  for (const char* part : {"workspace", "home", "state", "config", "data"})
    fs::create_directory(directory / part);
  ::setenv("HOME", (directory / "home").c_str(), 1);
  ::setenv("XDG_STATE_HOME", (directory / "state").c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", (directory / "config").c_str(), 1);
  ::setenv("XDG_DATA_HOME", (directory / "data").c_str(), 1);

  int failures = 0;
  std::string updated;
  for (const Step& step : read_transcript(path)) {
    const std::vector<std::string> actual = run(step.command, directory);
    const bool good = matches(step.expected, actual);
    if (!good) {
      ++failures;
      std::cout << path.filename().string() << ": $ " << step.command << "\n  expected:\n";
      for (const std::string& line : step.expected) std::cout << "    " << line << "\n";
      std::cout << "  but got:\n";
      for (const std::string& line : actual) std::cout << "    " << line << "\n";
    }
    for (const std::string& line : step.lines) updated += concat(line, "\n");
    for (const std::string& line : good ? step.expected : actual) updated += concat(line, "\n");
  }
  if (update) std::ofstream(path, std::ios::trunc) << updated;
  fs::remove_all(directory);
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool update = !words.empty() && words[0] == "--update";
  if (update) words.erase(words.begin());
  if (words.size() < 2) {
    std::cerr << "usage: transcript_runner [--update] PROGRAM_DIRECTORY TRANSCRIPT…\n";
    return 2;
  }
  const char* path = ::getenv("PATH");
  ::setenv("PATH",
           concat(fs::absolute(words[0]).string(), ":", path != nullptr ? path : "/usr/bin:/bin").c_str(), 1);
  ::setenv("LANG", "C.UTF-8", 1);
  ::unsetenv("NO_COLOR");
  // The developer's own settings are none of the test's business.
  std::vector<std::string> own;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("HELVE_")) own.emplace_back(*entry, std::strchr(*entry, '='));
  for (const std::string& name : own) ::unsetenv(name.c_str());
  int failures = 0;
  for (std::size_t i = 1; i < words.size(); ++i) failures += play(words[i], update);
  std::cout << words.size() - 1 << " transcripts, " << failures << " steps failed\n";
  return failures == 0 ? 0 : 1;
}
