#include "cli/flag_habits.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cli/flags.h"

namespace helve::cli {
namespace {

// For the tool that has the parameter.
struct Habit {
  std::string_view flags;
  std::string_view parameter;
  std::string_view answer;
  bool has_value = false;
};

constexpr auto kHabits = std::to_array<Habit>({
    // grep and ripgrep
    {"-i --ignore-case -S --smart-case", "caseSensitive", "write --no-case-sensitive"},
    {"-n --line-number", "contextLines", "lines are always numbered"},
    {"-r -R --recursive", "contextLines", "directories are always searched with all that is in them"},
    {"-A -B -C --context --after-context --before-context", "contextLines", "write --context-lines", true},
    {"-F --fixed-strings", "literal", "write --literal"},
    {"-l --files-with-matches", "filePattern", "write --output files"},
    {"-c --count", "filePattern", "write --output count"},
    {"-g --glob --include", "filePattern", "write --file-pattern", true},
    {"--exclude --exclude-dir", "filePattern", "write --file-pattern with a ! before it: '!*.min.js'", true},
    {"-t --type", "filePattern", "write --file-pattern '*.py' or the like", true},
    {"-m --max-count --limit --head-limit", "maxResults", "write --max-results", true},
    {"-e --regexp", "filePattern", "the pattern is the first word", true},
    {"-E -P --extended-regexp --perl-regexp", "filePattern", "the pattern is a regular expression already"},
    {"-w --word-regexp", "filePattern", R"(write \b on both sides of the pattern)"},
    {"-o --only-matching", "filePattern", "lines are shown whole"},
    {"-H --with-filename", "filePattern", "files are always named"},
    {"-U", "multiline", "write --multiline"},
    {"-u --no-ignore", "ignored", "write --ignored"},
    // find and fd
    {"-name -iname --name -g --glob", "exclude", "the pattern is the first word", true},
    {"-H", "exclude", "write --hidden"},
    {"-E", "exclude", "write --exclude", true},
    {"-t", "exclude", "write --type", true},
    {"-maxdepth --max-depth -d --depth", "exclude", "the slashes in the pattern say how deep: src/*.cc",
     true},
    // ls
    {"-l", "depth", "sizes and times are always shown"},
    {"-a -A --all", "depth", "names with a dot are always shown"},
    {"-R --recursive --tree", "depth", "write --depth 3 or the like"},
    // head, tail, sed and other agents' tools
    {"--lines --line --range", "encoding", "write --offset 3 --limit 3 for the lines 3 to 5", true},
    {"--start --from --start-line", "encoding", "write --offset", true},
    {"--end --to --end-line", "encoding", "write --offset 3 --limit 3 for the lines 3 to 5", true},
    {"-n --head --count --max-lines", "encoding", "write --limit", true},
    {"--tail", "encoding", "write --offset -20 for the last 20 lines", true},
    {"--old-string --find --search --from", "oldText", "write --old-text", true},
    {"--new-string --to --with", "newText", "write --new-text", true},
    {"--replace", "newText", "write --new-text for the new text, --replace-all for all places", true},
    {"-g --all --global", "replaceAll", "write --replace-all"},
    {"--text --body --data", "content", "write --content", true},
    {"--append -a", "content", "write --mode append"},
    {"--dir --directory --workdir --chdir", "cwd", "write --cwd", true},
    {"--timeout", "timeoutMs", "write --timeout-ms, in milliseconds", true},
    {"--env", "cwd", "write it into the command: 'NAME=value make'", true},
    {"--shell", "cwd", "write --set exec.shell=bash", true},
    {"-n --count --last", "steps", "write --steps", true},
    // compilers
    {"--column", "character", "write --character, which counts from 0", true},
});

const Habit* find_habit(const ParamType& options, std::string_view flag) {
  const auto* found = std::ranges::find_if(kHabits, [&](const Habit& habit) {
    return concat(" ", habit.flags, " ").contains(concat(" ", flag, " ")) &&
           find_flag(options, flag_name(habit.parameter)) != nullptr;
  });
  return found == kHabits.end() ? nullptr : found;
}

}  // namespace

std::optional<HabitAnswer> answer_to_habit(const ParamType& options, std::string_view flag) {
  if (const Habit* habit = find_habit(options, flag))
    return HabitAnswer{std::string(habit->answer), habit->has_value};
  if (flag.size() < 3 || flag[0] != '-' || flag[1] == '-') return {};
  std::vector<std::string> answers;
  bool has_value = false;
  for (const char letter : flag.substr(1)) {
    // The value of the letter before.
    if (has_value && letter >= '0' && letter <= '9') return HabitAnswer{join(answers, "; "), false};
    const char one[] = {'-', letter};
    const Habit* habit = find_habit(options, std::string_view(one, 2));
    if (habit == nullptr) return {};
    answers.emplace_back(habit->answer);
    has_value = habit->has_value;
  }
  return HabitAnswer{join(answers, "; "), has_value};
}

}  // namespace helve::cli
