#include "policy/catastrophe.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/ascii.h"
#include "base/file_io.h"
#include "base/strings.h"

namespace helve::policy {
namespace {

using shell::Redirection;
using shell::Word;

constexpr auto kGreatDirectories = std::to_array<std::string_view>(
    {"/bin",   "/boot", "/dev",     "/etc",     "/home",      "/lib",  "/lib32",
     "/lib64", "/opt",  "/proc",    "/root",    "/run",       "/sbin", "/srv",
     "/sys",   "/usr",  "/usr/bin", "/usr/lib", "/usr/local", "/var",  "/var/lib"});

constexpr auto kDisks =
    std::to_array<std::string_view>({"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk/", "mapper/", "dm-",
                                     "md", "zram", "nbd", "block/", "pmem"});

// Only a disk: /dev/null and terminals are no loss.
bool is_disk(std::string_view path) {
  constexpr std::string_view kDevices = "/dev/";
  if (!path.starts_with(kDevices)) return false;
  path.remove_prefix(kDevices.size());
  return std::ranges::any_of(
      kDisks, [&](std::string_view disk) { return path.starts_with(disk) && path.size() > disk.size(); });
}

bool is_glob_character(char c) { return std::string_view("*?[].!{},").contains(c); }

// How much a path holds.
enum class Extent { kOrdinary, kWorkspace, kSystem };

class Judge {
 public:
  Judge(const WorkingDirectories& directories, const Surroundings& surroundings)
      : directories_(directories), surroundings_(surroundings) {}

  std::optional<std::string> judge(std::span<const Word> words) const {
    const std::string_view program = words.front().text;
    const auto arguments = words.subspan(1);
    if (program == "rm") return judge_rm(arguments);
    if (program == "find") return judge_find(arguments);
    if (program == "chmod" || program == "chown" || program == "chgrp") return judge_mode(program, arguments);
    if (program == "mv") return judge_mv(arguments);
    if (program == "dd") return judge_dd(arguments);
    const bool formats = program == "mkfs" || program.starts_with("mkfs.") || program == "mke2fs" ||
                         program == "mkswap" || program == "wipefs" || program == "blkdiscard" ||
                         program == "shred" || program == "sgdisk" || program == "sfdisk";
    if (formats || program == "tee") return judge_disks(arguments);
    if (program == "cp" && !arguments.empty()) return judge_disks(arguments.last(1));
    return {};
  }

  static std::optional<std::string> judge_disk(const Word& word) {
    const std::string path = without_quotes(word);
    if (!is_disk(path)) return {};
    return concat("overwrite the disk ", path);
  }

 private:
  static std::string without_quotes(const Word& word) {
    std::string text = word.text;
    if (!word.literal) std::erase_if(text, [](char c) { return c == '"' || c == '\''; });
    return text;
  }

  static bool is_option(const Word& word) {
    return word.literal && word.text.size() > 1 && word.text[0] == '-';
  }

  // A short option among combined letters, or a long one, maybe abbreviated.
  static bool has_option(std::span<const Word> words, std::string_view letters, std::string_view name) {
    for (const Word& word : words) {
      if (word.literal && word.text == "--") return false;
      if (!is_option(word)) continue;
      const std::string_view text = word.text;
      const bool is_long = text.starts_with("--");
      if (is_long ? text.size() > 2 && name.starts_with(text.substr(2))
                  : text.find_first_of(letters) != std::string_view::npos)
        return true;
    }
    return false;
  }

  static std::vector<Word> operands(std::span<const Word> words) {
    std::vector<Word> found;
    bool ended = false;
    for (const Word& word : words) {
      if (!ended && word.literal && word.text == "--")
        ended = true;
      else if (ended || !is_option(word))
        found.push_back(word);
    }
    return found;
  }

  // With ~, $HOME and $PWD replaced, and without a last component that stands for everything in its
  // directory. Empty when its value is unknown.
  std::string path_of(const Word& word, const std::string& directory) const {
    std::string path = without_quotes(word);
    const auto replace_start = [&](std::string_view start, const std::string& by) {
      if (by.empty() || !path.starts_with(start)) return;
      if (path.size() == start.size() || path[start.size()] == '/')
        path = concat(by, path.substr(start.size()));
    };
    if (!word.literal) {
      for (const std::string_view home : {"~", "$HOME", "${HOME}"}) replace_start(home, surroundings_.home);
      for (const std::string_view here : {"$PWD", "${PWD}"}) replace_start(here, directory);
      if (path.contains('$') || path.contains('`')) return {};
      const std::size_t slash = path.rfind('/');
      const std::string_view last =
          slash == std::string::npos ? path : std::string_view(path).substr(slash + 1);
      if (last.contains('*') && std::ranges::all_of(last, is_glob_character))
        path = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    }
    return path;
  }

  Extent extent_of(const std::string& path, const std::string& directory) const {
    const Location location = locate(path, directory);
    Extent extent = Extent::kOrdinary;
    for (const std::string* each : {&location.given, &location.real}) {
      if (*each == "/" || std::ranges::find(kGreatDirectories, *each) != kGreatDirectories.end())
        return Extent::kSystem;
      if (!surroundings_.home.empty() && is_within(surroundings_.home, *each)) return Extent::kSystem;
      if (is_within(surroundings_.workspace, *each) || *each == concat(surroundings_.workspace, "/.git"))
        extent = Extent::kWorkspace;
    }
    return extent;
  }

  // The smallest extent over all directories in which the command may run, so that `cd build && rm -r *` is
  // not mistaken.
  Extent extent_of(const Word& word) const {
    if (!directories_.known())
      return path_of(word, "/").starts_with('/') ? extent_of(path_of(word, "/"), "/") : Extent::kOrdinary;
    Extent least = Extent::kSystem;
    for (const std::string& directory : directories_.possible()) {
      const std::string path = path_of(word, directory);
      if (path.empty()) return Extent::kOrdinary;
      least = std::min(least, extent_of(path, directory));
    }
    return least;
  }

  std::optional<std::string> judge_rm(std::span<const Word> words) const {
    if (!has_option(words, "rR", "recursive")) return {};
    for (const Word& word : operands(words))
      if (extent_of(word) != Extent::kOrdinary) return concat("delete everything in ", without_quotes(word));
    return {};
  }

  std::optional<std::string> judge_find(std::span<const Word> words) const {
    std::size_t starts = 0;
    while (starts < words.size() && !is_option(words[starts]) && words[starts].text != "(" &&
           words[starts].text != "!")
      ++starts;
    bool deletes = false;
    for (std::size_t i = starts; i < words.size(); ++i) {
      const std::string& word = words[i].text;
      if (word == "-delete") {
        deletes = true;
      } else if (word == "-exec" || word == "-execdir") {
        if (i + 1 < words.size() && program_name(words[i + 1].text) == "rm") deletes = true;
        break;
      } else if (word == "-mindepth" || word == "-maxdepth") {
        ++i;
      } else if (word != "-depth" && word != "-xdev" && word != "-mount") {
        return {};  // a test selects what is deleted
      }
    }
    if (!deletes) return {};
    if (starts == 0)
      return extent_of(Word{"."}) == Extent::kOrdinary ? std::nullopt : std::optional(kEverything);
    for (const Word& word : words.first(starts))
      if (extent_of(word) != Extent::kOrdinary) return concat("delete everything in ", without_quotes(word));
    return {};
  }

  std::optional<std::string> judge_mode(std::string_view program, std::span<const Word> words) const {
    if (!has_option(words, "R", "recursive")) return {};
    const std::vector<Word> found = operands(words);
    for (std::size_t i = has_option(words, "", "reference") ? 0 : 1; i < found.size(); ++i)
      if (extent_of(found[i]) == Extent::kSystem)
        return concat(program == "chmod" ? "change the modes" : "change the owners", " of everything in ",
                      without_quotes(found[i]));
    return {};
  }

  std::optional<std::string> judge_mv(std::span<const Word> words) const {
    const std::vector<Word> found = operands(words);
    const bool target_first = has_option(words, "t", "target-directory");
    for (std::size_t i = 0; i + (target_first ? 0 : 1) < found.size(); ++i)
      if (extent_of(found[i]) == Extent::kSystem)
        return concat("move away everything in ", without_quotes(found[i]));
    return {};
  }

  static std::optional<std::string> judge_dd(std::span<const Word> words) {
    constexpr std::string_view kTarget = "of=";
    for (const Word& word : words)
      if (word.text.starts_with(kTarget))
        if (auto found = judge_disk({word.text.substr(kTarget.size()), word.literal})) return found;
    return {};
  }

  static std::optional<std::string> judge_disks(std::span<const Word> words) {
    for (const Word& word : words)
      if (auto found = judge_disk(word)) return found;
    return {};
  }

  inline static const std::string kEverything = "delete everything in the current directory";

  const WorkingDirectories& directories_;
  const Surroundings& surroundings_;
};

bool is_name_character(char c) { return is_letter_or_digit(c) || std::string_view("_:.-").contains(c); }

}  // namespace

std::optional<std::string> find_catastrophe(const shell::SimpleCommand& command,
                                            const WorkingDirectories& directories,
                                            const Surroundings& surroundings) {
  for (const Redirection& redirection : command.redirections) {
    using Kind = Redirection::Kind;
    if (redirection.kind == Kind::kWrite || redirection.kind == Kind::kAppend ||
        redirection.kind == Kind::kReadWrite)
      if (auto found = Judge::judge_disk(redirection.target)) return found;
  }
  const Judge judge(directories, surroundings);
  for (const Words& words : readings_of(command, surroundings.workspace))
    if (!words.empty())
      if (auto found = judge.judge(words)) return found;
  return {};
}

bool is_fork_bomb(std::string_view text, const shell::CommandLine& line) {
  // NAME() { … NAME | NAME & … }
  for (std::size_t at = text.find("()"); at != std::string_view::npos; at = text.find("()", at + 2)) {
    std::size_t begin = at;
    while (begin > 0 && text[begin - 1] == ' ') --begin;
    const std::size_t end = begin;
    while (begin > 0 && is_name_character(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    const std::string_view body = text.substr(at, text.find('}', at) - at);
    if (name.empty() || !body.contains('&')) continue;
    const std::size_t once = body.find(name, 2);
    if (once == std::string_view::npos || body.find(name, once + name.size()) == std::string_view::npos)
      continue;
    // Quoted text defines nothing: then the command line does not have these commands.
    const auto calls = std::ranges::count_if(line.commands, [&](const shell::SimpleCommand& command) {
      return !command.words.empty() && command.words.front().text == name;
    });
    if (calls >= 3) return true;
  }
  return false;
}

}  // namespace helve::policy
