// Runs transcripts: text files with commands and what they must print, for everyone to read and add to.
//
//   $ helve call ls '{}'          a command for bash; lines that start with "> " continue it
//   {"ok":false,…}                what it prints, stdout and stderr together; … stands for any text,
//   …                             and on a line of its own for any lines
//   [1]                           its exit code, when that is not 0
//   # anything                    a comment; it ends the output, as do empty lines before it or a command
//
// In a Markdown file (.md), where # often is output, only one after an empty line is a comment. The blocks
// ```console are the transcript, and what stands between "<!-- console" and
// "-->" is run as well, without being shown to the reader. The commands write to a terminal, as for the
// reader.
//
// Each transcript runs in a directory of its own, as the workspace, with HOME and the XDG directories beside
// it. Usage: transcript_runner [--update] PROGRAM_DIRECTORY TRANSCRIPT…
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
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

struct Transcript {
  std::vector<Step> steps;
  std::vector<std::string> rest;  // what follows the last step
};

// Which lines of a Markdown file are commands and output.
class Markdown {
 public:
  bool is_transcript(const std::string& line) {
    if (!closing_.empty()) {
      if (line == closing_) closing_.clear();
      return !closing_.empty() && console_;
    }
    if (line == "<!-- console") {
      closing_ = "-->";
      console_ = true;
    } else if (line.starts_with("```")) {
      closing_ = line.substr(0, line.find_first_not_of('`'));
      console_ = line.substr(closing_.size()) == "console";
    }
    return false;
  }

 private:
  std::string closing_;  // the line that ends the block; empty outside of blocks
  bool console_ = false;
};

Transcript read_transcript(const fs::path& path) {
  std::ifstream file(path);
  const bool is_markdown = path.extension() == ".md";
  Markdown markdown;
  std::vector<Step> steps;
  std::vector<std::string> before;  // comments and empty lines that may belong to the next step
  bool in_block = false;            // the last step's
  for (std::string line; std::getline(file, line);) {
    if (is_markdown && !markdown.is_transcript(line)) {
      before.push_back(line);
      in_block = false;
      continue;
    }
    const bool only_empty_before = std::ranges::all_of(before, &std::string::empty);
    const bool in_output = !steps.empty() && only_empty_before && in_block;
    if (line.starts_with("$ ")) {
      in_block = true;
      steps.push_back({std::exchange(before, {}), line.substr(2), {}});
      steps.back().lines.push_back(line);
    } else if (line.starts_with("> ") && in_output && steps.back().expected.empty()) {
      steps.back().command += concat("\n", line.substr(2));
      steps.back().lines.push_back(line);
    } else if ((line.starts_with("#") && !(is_markdown && before.empty())) || line.empty() || !in_output) {
      before.push_back(line);
    } else {
      for (std::string& empty : std::exchange(before, {})) steps.back().expected.push_back(std::move(empty));
      steps.back().expected.push_back(line);
    }
  }
  return {std::move(steps), std::move(before)};
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

using Lines = std::span<const std::string>;

// … alone on a line matches any lines, also none.
bool matches(Lines expected, Lines actual) {
  if (expected.empty()) return actual.empty();
  if (expected.front() == "…")
    for (std::size_t skipped = 0; skipped <= actual.size(); ++skipped)
      if (matches(expected.subspan(1), actual.subspan(skipped))) return true;
  return !actual.empty() && matches(expected.front(), actual.front()) &&
         matches(expected.subspan(1), actual.subspan(1));
}

enum class Reader { kProgram, kPerson };

// A pipe, or for a user a terminal, of which the commands cannot read an answer.
std::array<int, 2> open_channel(Reader reader) {
  std::array<int, 2> ends{-1, -1};
  if (reader == Reader::kProgram) {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    return ends;
  }
  ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::array<char, 64> name;
  if (::grantpt(ends[0]) != 0 || ::unlockpt(ends[0]) != 0 ||
      ::ptsname_r(ends[0], name.data(), name.size()) != 0)
    std::abort();
  ends[1] = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  ::tcgetattr(ends[1], &settings);
  ::cfmakeraw(&settings);  // line breaks as they are
  ::tcsetattr(ends[1], TCSANOW, &settings);
  const winsize size{.ws_row = 50, .ws_col = 110, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(ends[1], TIOCSWINSZ, &size);
  return ends;
}

std::vector<std::string> run(const std::string& command, const fs::path& directory, Reader reader) {
  const fs::path script = directory / "command.sh";
  std::ofstream(script) << command << "\n";
  const auto [ours, theirs] = open_channel(reader);
  const pid_t child = ::fork();
  if (child == 0) {
    if (reader == Reader::kPerson) ::setsid();
    if (::chdir((directory / "workspace").c_str()) != 0) ::_exit(127);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0) ::_exit(127);
    ::dup2(nothing, 0);
    ::dup2(theirs, 1);
    ::dup2(theirs, 2);
    ::execlp("bash", "bash", script.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(theirs);
  std::string output;
  std::array<char, 4096> buffer;
  // A terminal whose programs have ended gives an error instead of an end.
  for (ssize_t count = 0; (count = ::read(ours, buffer.data(), buffer.size())) > 0;)
    output.append(buffer.data(), static_cast<std::size_t>(count));
  ::close(ours);
  int status = 0;
  ::waitpid(child, &status, 0);
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

  // Transcripts test the output for programs, and the output for people by the
  // documentation.
  const Reader reader = path.extension() == ".md" ? Reader::kPerson : Reader::kProgram;
  if (reader == Reader::kPerson)
    ::setenv("NO_COLOR", "1", 1);
  else
    ::unsetenv("NO_COLOR");

  int failures = 0;
  std::string updated;
  const Transcript transcript = read_transcript(path);
  const auto keep = [&](const std::string& line) { updated += concat(line, "\n"); };
  for (const Step& step : transcript.steps) {
    const std::vector<std::string> actual = run(step.command, directory, reader);
    const bool good = matches(Lines(step.expected), Lines(actual));
    if (!good) {
      ++failures;
      std::cout << path.filename().string() << ": $ " << step.command << "\n  expected:\n";
      for (const std::string& line : step.expected) std::cout << "    " << line << "\n";
      std::cout << "  but got:\n";
      for (const std::string& line : actual) std::cout << "    " << line << "\n";
    }
    std::ranges::for_each(step.lines, keep);
    std::ranges::for_each(good ? step.expected : actual, keep);
  }
  std::ranges::for_each(transcript.rest, keep);
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
