#include "policy/catastrophe_containers.h"

#include <algorithm>

#include "base/strings.h"
#include "policy/catastrophe_programs.h"
#include "policy/catastrophe_words.h"
#include "shell/options.h"

namespace helve::policy {
namespace {

constexpr std::string_view kInside = "/.in-container";

struct Mount {
  std::string host;
  std::string target;
};

struct ContainerRun {
  std::vector<Mount> mounts = {};
  std::string directory = {};  // -w
  bool sees_devices = false;
  std::size_t next = 0;  // the words after the options that matter
};

// HOST:TARGET[:OPTIONS]
void add_mount(std::string_view text, ContainerRun& run) {
  const auto parts = split(text, ':');
  if (parts.size() < 2) return;
  const bool directory = parts[0].starts_with('/') || parts[0].starts_with('.') || parts[0].starts_with('~');
  if (directory) run.mounts.push_back({std::string(parts[0]), std::string(parts[1])});
}

// type=bind,source=HOST,target=TARGET
void add_long_mount(std::string_view text, ContainerRun& run) {
  Mount mount;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = part.substr(0, equals);
    if (shell::lists("source src", name)) mount.host = part.substr(equals + 1);
    if (shell::lists("target dst destination", name)) mount.target = part.substr(equals + 1);
  }
  if (!mount.host.empty() && !mount.target.empty()) run.mounts.push_back(std::move(mount));
}

ContainerRun read_run(const Fields& words, std::size_t begin) {
  ContainerRun run{.next = begin};
  for (std::size_t i = begin; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto value_of = [&](std::string_view letter, std::string_view name) -> std::string_view {
      if ((word == letter || word == name) && i + 1 < words.size()) {
        run.next = i + 2;
        return words[i + 1];
      }
      if (word.starts_with(concat(name, "="))) return word.substr(name.size() + 1);
      if (word.starts_with(letter) && !word.starts_with("--") && word.size() > letter.size())
        return word.substr(letter.size());
      return {};
    };
    if (const auto value = value_of("-v", "--volume"); !value.empty()) add_mount(value, run);
    if (const auto value = value_of("--mount", "--mount"); !value.empty()) add_long_mount(value, run);
    if (const auto value = value_of("-w", "--workdir"); !value.empty()) run.directory = value;
    if (const auto value = value_of("--device", "--device"); !value.empty()) {
      const auto parts = split(value, ':');
      run.mounts.push_back({std::string(parts[0]), std::string(parts.size() > 1 ? parts[1] : parts[0])});
      run.sees_devices = true;
    }
    run.sees_devices = run.sees_devices || word == "--privileged";
  }
  for (const Mount& mount : run.mounts) run.sees_devices = run.sees_devices || mount.host == "/dev";
  return run;
}

// The path on this machine; harmless if it belongs to the container.
std::string path_on_host(std::string_view asked, const ContainerRun& run) {
  const auto beneath = [](std::string_view one, std::string_view other) {
    return one == other || other == "/" ||
           (one.starts_with(other) && one.substr(other.size()).starts_with('/'));
  };
  std::string whole(asked);
  if (!asked.starts_with('/')) {
    if (run.directory.empty()) return std::string(kInside);
    whole = asked == "." || asked == "./" ? run.directory : concat(run.directory, "/", asked);
  }
  std::string_view plain = whole;
  while (plain.size() > 1 && (plain.ends_with('/') || plain.ends_with("/*")))
    plain.remove_suffix(plain.ends_with('/') ? 1 : 2);
  if (plain.empty()) plain = "/";
  for (const Mount& mount : run.mounts) {
    std::string_view target = mount.target;
    while (target.size() > 1 && target.ends_with('/')) target.remove_suffix(1);
    if (beneath(plain, target)) {
      const std::string_view rest = std::string_view(whole).substr(target == "/" ? 0 : target.size());
      const std::string path = concat(mount.host == "/" ? "" : mount.host, rest);
      return path.empty() ? "/" : path;
    }
    if (beneath(target, plain)) return mount.host;
  }
  if (run.sees_devices && plain.starts_with("/dev/")) return whole;
  return concat(kInside, "/x");
}

bool is_path_word(std::string_view word) {
  return word.starts_with('/') || word == "." || word == ".." || word.starts_with("./") || word == "*";
}

std::string word_on_host(const std::string& word, const ContainerRun& run) {
  if (is_path_word(word)) return path_on_host(word, run);
  const std::size_t equals = word.find("=/");
  if (equals == std::string::npos) return word;
  return concat(word.substr(0, equals + 1), path_on_host(std::string_view(word).substr(equals + 1), run));
}

// Translates every path in the text of a shell.
std::string text_on_host(std::string_view text, const ContainerRun& run) {
  constexpr std::string_view kEnds = " \t\n;&|<>()'\"`=";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = text[at] == '/' && (at == 0 || kEnds.contains(text[at - 1]));
    if (!begins) {
      out += text[at++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(kEnds, at), text.size());
    out += path_on_host(text.substr(at, end - at), run);
    at = end;
  }
  return out;
}

}  // namespace

HostCommands commands_on_host(const Fields& words) {
  HostCommands found;
  const auto starts =
      std::ranges::find_if(words, [](const std::string& word) { return shell::lists("run create", word); });
  if (starts == words.end()) return found;
  const ContainerRun run = read_run(words, static_cast<std::size_t>(starts - words.begin()) + 1);
  if (run.mounts.empty() && !run.sees_devices) return found;
  std::size_t begin = run.next;
  // In `chroot /x rm -rf /` everything is on this machine.
  if (const auto chroot = std::ranges::find(words, "chroot");
      chroot != words.end() && words.end() - chroot > 2)
    found.commands.emplace_back(chroot + 2, words.end());
  for (; begin < words.size(); ++begin) {
    if (looks_like_option(words[begin])) continue;
    Fields command{words[begin]};
    for (std::size_t i = begin + 1; i < words.size(); ++i) command.push_back(word_on_host(words[i], run));
    found.commands.push_back(std::move(command));
    const std::string text = unescaped(words[begin]);
    if (text.contains(' ')) found.texts.push_back(text_on_host(text, run));
  }
  return found;
}

}  // namespace helve::policy
