#include "core/command_report.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "helve/settings/results.h"
#include "process/error_lines.h"
#include "process/output_text.h"
#include "sandbox/sandbox.h"
#include "workspace/listing.h"
#include "workspace/path_check.h"

namespace helve::core {
namespace {

using CommandState = process::JobState;
using process::JobStatus;
using std::chrono::milliseconds;

// The share of the output that omitted error lines may take.
constexpr std::size_t kErrorLineShare = 4;

std::string duration_text(milliseconds duration) {
  char text[32];
  const double seconds = static_cast<double>(duration.count()) / 1000;
  if (seconds < 100)
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  else
    std::snprintf(text, sizeof text, "%lld min %02lld s", static_cast<long long>(duration.count() / 60'000),
                  static_cast<long long>(duration.count() / 1000 % 60));
  return text;
}

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? concat("signal ", signal) : concat("signal ", signal, " (SIG", name, ")");
}

std::string waiting_text(const process::JobStatus& status) {
  if (!status.waiting) return "it waits for input";
  return concat(status.waiting->program,
                status.waiting->password ? " waits for a password" : " waits for input");
}

Json optional_number(const std::optional<int>& number) { return number ? Json(*number) : Json(); }

// One stream as text for programs, the end of it when it is long.
std::string stream_text(const process::OutputLog& log, process::Stream stream, std::uint64_t bytes,
                        std::size_t most) {
  const std::uint64_t from = bytes > most ? bytes - most : 0;
  const auto part = log.read_stream(stream, from, most);
  if (!part) return {};
  std::string text = process::clean_text(part->bytes);
  if (text.size() > most) text = std::string(utf8_suffix(text, most));
  return text;
}

std::string_view level_name(sandbox::Level level) {
  switch (level) {
    case sandbox::Level::kReadOnly: return "read-only";
    case sandbox::Level::kWorkspaceWrite: return "workspace-write";
    case sandbox::Level::kOff: return "off";
  }
  return "off";
}

// A command does not know about the sandbox, so its errors do not mention it.
std::string sandbox_hints(const process::Job& command, const process::JobStatus& status,
                          std::string_view text) {
  const sandbox::Plan& plan = command.request().launch.plan;
  if (plan.level == sandbox::Level::kOff || status.exit_code == 0) return {};
  const auto says = [&](std::initializer_list<std::string_view> signs) {
    return std::ranges::any_of(
        signs, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
  };
  std::string hints;
  if (says({"config file", ".git/hooks", ".git/config"}) &&
      says({"Device or resource busy", "Read-only file system"}))
    hints +=
        "(Hooks and settings of repositories are protected here: use git -c key=value, or ask the user.)\n";
  else if (says({"Read-only file system"}))
    hints += plan.level == sandbox::Level::kReadOnly
                 ? "(Nothing but /tmp can be written in this sandbox.)\n"
                 : "(Only the workspace and /tmp can be written in the sandbox.)\n";
  if (!plan.network &&
      says({"Could not resolve host", "Temporary failure in name resolution", "EAI_AGAIN",
            "Network is unreachable", "Name or service not known", "No matching distribution found"}))
    hints += "(Commands have no network here; the user can allow it with the setting sandbox.network.)\n";
  // The directory also holds the output of other jobs, so it is named only if an answer named it before.
  const std::string& kept = command.log().path();
  for (const std::string& place : plan.hidden)
    if (kept.starts_with(concat(place, "/")) && command.command().find(place) != std::string::npos)
      hints += concat("(Commands cannot see what Helve keeps in ", place,
                      "; open it with the tools read or grep.)\n");
  return hints;
}

// Why the job ended otherwise than by itself, and where the rest of its output is.
std::string closing_lines(const process::Job& command, const CommandFacts& facts, const ShownOutput& shown) {
  const process::JobStatus status = command.status();
  std::string lines;
  if (!shown.complete)
    lines += concat("(All output is in ", command.log().path(),
                    "; the tools read and grep can open it, and so can process log with sessionId ",
                    command.id(), ".)\n");
  if (status.state == CommandState::kExited && status.left_processes)
    lines += "(Its background processes were ended; use background for servers.)\n";
  lines += sandbox_hints(command, status, shown.text);
  const process::OutputState output = command.log().state();
  if (!output.trouble.empty()) lines += concat("(", output.trouble, ")\n");
  if (status.out_of_memory)
    lines +=
        "(The kernel ended one of its processes because the memory was full: use less, or ask the user to "
        "raise "
        "sandbox.memory_megabytes if it is set.)\n";
  if (!status.trouble.empty()) lines += concat("(", status.trouble, ")\n");
  if (status.exit_code != 0 || status.state != CommandState::kExited)
    lines += concat("(", outcome_text(command), ")\n");
  if (!status.missing.empty()) {
    std::vector<std::string> names;
    for (const sandbox::Part part : status.missing) names.emplace_back(sandbox::part_name(part));
    lines += concat("(Run without ", join(names, ", "), ", as the settings allow.)\n");
  }
  if (const std::string said = settled_text(facts.settled); !said.empty()) lines += concat("(", said, ")\n");
  if (const std::string changed = changed_text(facts.outcome); !changed.empty())
    lines += concat("(", changed, ")\n");
  return lines;
}

}  // namespace

std::string outcome_text(const process::Job& command) {
  const process::JobStatus status = command.status();
  const std::string after = concat(" after ", duration_text(status.age));
  switch (status.state) {
    case CommandState::kStarting:
    case CommandState::kRunning: return concat("still running", after);
    case CommandState::kWaitingForInput: return concat("still running", after, "; ", waiting_text(status));
    case CommandState::kExited: return concat("exit code ", status.exit_code.value_or(0), after);
    case CommandState::kSignalled:
      return concat("ended by ", signal_text(status.signal.value_or(0)), after,
                    status.out_of_memory ? ", because the memory was full" : "");
    case CommandState::kTimedOut:
      return concat("timed out", after, "; it and everything it started was ended");
    case CommandState::kKilled: return concat("killed", after);
  }
  return "ended";
}

std::string list_line(const process::Job& command) {
  const process::JobStatus status = command.status();
  std::string line = concat(command.id(), "  ", outcome_text(command));
  if (status.running()) {
    const process::Usage usage = command.usage();
    line += concat(", ", count_of(usage.processes, "process", "processes"), ", CPU ",
                   duration_text(usage.cpu), ", ", workspace::readable_size(usage.memory_bytes));
    std::vector<std::string> ports;
    for (const std::uint16_t port : usage.listening_ports) ports.push_back(concat(port));
    if (!ports.empty()) line += concat(", listens on ", join(ports, ", "));
  }
  const process::OutputState output = command.log().state();
  line += concat(", ", count_of(output.all.lines, "line"),
                 " of output: ", shortened(replace_all(command.command(), "\n", "⏎"), 200));
  return line;
}

namespace {

// At most so many files are listed; history has all of them.
constexpr std::size_t kMostListed = 200;

JsonObject changes_json(const changes::CommandOutcome& outcome) {
  JsonArray files;
  for (const changes::HistoryFile& file : outcome.files) {
    if (files.size() == kMostListed) break;
    JsonObject each{{"path", file.path}, {"action", changes::to_string(file.action)}};
    if (!file.old_path.empty()) each.append("oldPath", file.old_path);
    files.emplace_back(std::move(each));
  }
  JsonObject json{
      {"changeId", outcome.change_id}, {"count", outcome.files.size()}, {"files", std::move(files)}};
  if (!outcome.not_undoable.empty()) json.append("notUndoable", outcome.not_undoable);
  return json;
}

}  // namespace

JsonObject command_data(const process::Job& command, const CommandFacts& facts) {
  const process::JobStatus status = command.status();
  const process::OutputState output = command.log().state();
  const auto counts = [](const process::StreamCount& count) {
    return JsonObject{{"bytes", count.bytes}, {"lines", count.lines}};
  };
  JsonObject data{{"sessionId", command.id()},
                  {"command", command.command()},
                  {"cwd", facts.directory},
                  {"state", process::to_string(status.state)},
                  {"running", status.running()},
                  {"exitCode", optional_number(status.exit_code)},
                  {"signal", optional_number(status.signal)},
                  {"timedOut", status.state == CommandState::kTimedOut},
                  {"durationMs", status.age.count()},
                  {"output", counts(output.all)},
                  {"stdoutCount", counts(output.output)},
                  {"stderrCount", counts(output.error)},
                  {"sandbox", level_name(command.request().launch.plan.level)}};
  if (status.waiting)
    data.append("waitsForInput",
                JsonObject{{"program", status.waiting->program}, {"password", status.waiting->password}});
  if (status.running()) {
    const process::Usage usage = command.usage();
    JsonArray ports;
    for (const std::uint16_t port : usage.listening_ports) ports.emplace_back(port);
    data.append("processes", usage.processes);
    data.append("cpuMs", usage.cpu.count());
    data.append("memoryBytes", usage.memory_bytes);
    data.append("ports", std::move(ports));
  } else {
    const auto cpu = std::chrono::duration_cast<milliseconds>(status.user_time + status.system_time);
    data.append("cpuMs", cpu.count());
    data.append("mostMemoryBytes", status.most_memory_bytes);
  }
  if (status.out_of_memory) data.append("outOfMemory", true);
  if (!status.order_known) data.append("streamOrder", "as read");
  if (!status.missing.empty()) {
    JsonArray missing;
    for (const sandbox::Part part : status.missing) missing.emplace_back(sandbox::part_name(part));
    data.append("sandboxLacks", std::move(missing));
  }
  if (!facts.removed_secrets.empty()) {
    JsonArray names;
    for (const std::string& name : facts.removed_secrets) names.emplace_back(name);
    data.append("withheldVariables", std::move(names));
  }
  if (!facts.outcome.files.empty()) data.append("changes", changes_json(facts.outcome));
  if (!facts.settled.disarmed.empty()) {
    JsonArray paths;
    for (const repository::Disarmed& each : facts.settled.disarmed) paths.emplace_back(each.path);
    data.append("disarmed", std::move(paths));
  }
  return data;
}

namespace {

// The text for a model about the paths with one kind of change. Paths below another one, or in `.git`, are
// only counted.
std::string paths_text(const changes::CommandOutcome& outcome, changes::FileAction action) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::pair<std::string, std::size_t>> items;  // with the number of paths below
  for (const changes::HistoryFile& file : outcome.files) {
    if (file.action != action) continue;
    std::string_view path = file.path;
    const bool in_git = path.starts_with(".git/") || path.contains("/.git/");
    if (in_git) path = path.substr(0, path.starts_with(".git/") ? 4 : path.find("/.git/") + 5);
    if (!items.empty() && (is_within(path, items.back().first) || (in_git && path == items.back().first)))
      ++items.back().second;
    else
      items.emplace_back(file.old_path.empty() ? std::string(path) : concat(file.old_path, " → ", path),
                         in_git ? 1 : 0);
  }
  std::vector<std::string> names;
  for (const auto& [name, below] : items) {
    if (names.size() == kMostNamed) break;
    const std::string shown = workspace::printable_path(name);
    names.push_back(below == 0 ? shown : concat(shown, "/ (", count_of(below, "path"), " in it)"));
  }
  if (items.size() > names.size())
    names.push_back(concat(with_thousands(items.size() - names.size()), " more"));
  return join(names, ", ");
}

}  // namespace

std::string changed_text(const changes::CommandOutcome& outcome) {
  using changes::FileAction;
  std::string text;
  for (const FileAction action :
       {FileAction::kChanged, FileAction::kCreated, FileAction::kRemoved, FileAction::kMoved})
    if (const std::string paths = paths_text(outcome, action); !paths.empty())
      text += concat(text.empty() ? "" : "; ", changes::to_string(action), " ", paths);
  if (!text.empty()) text[0] = to_upper(text[0]);
  if (!outcome.not_undoable.empty())
    return concat(text, text.empty() ? "Its changes cannot be undone: " : ". This cannot be undone: ",
                  outcome.not_undoable, ".");
  return text.empty() ? text : concat(text, ". undo reverts this.");
}

std::string settled_text(const repository::Settled& settled) {
  std::vector<std::string> sentences;
  std::vector<std::string> names;
  for (const repository::Disarmed& each : settled.disarmed)
    names.push_back(each.dropped.empty() ? each.path
                                         : concat(each.path, " (", join(each.dropped, ", "), ")"));
  if (!names.empty())
    sentences.push_back(concat("Taken out of repositories, because git would run it outside of the sandbox: ",
                               join(names, ", ")));
  if (!settled.changed.empty())
    sentences.push_back(concat("While it ran, another process changed the hooks or settings of ",
                               join(settled.changed, ", "), "; look at them before git is used there"));
  if (!settled.trouble.empty()) sentences.push_back(settled.trouble);
  return join(sentences, ". ");
}

Expected<ShownOutput> show_output(const process::Job& command, const process::Excerpt& excerpt,
                                  std::uint64_t from, std::uint64_t to) {
  ShownOutput shown{.text = process::to_text(excerpt, command.log()), .complete = excerpt.complete()};
  if (excerpt.complete() || excerpt.binary) return shown;
  const auto errors =
      process::find_error_lines(command.log(), std::max(from, excerpt.head_end),
                                std::min(to, excerpt.tail_start), {.most = 10, .longest_text = 160});
  if (!errors) return fail(errors.error());
  if (errors->lines.empty()) return shown;
  std::string found =
      concat("[of these, ", count_of(errors->lines.size(), "line looks", "lines look"),
             " like an error or warning", errors->complete ? "" : " (not all were looked at)", ":]\n");
  for (const process::ErrorLine& line : errors->lines) {
    found += concat(line.number, ": ", line.text, "\n");
    shown.error_lines.push_back(JsonObject{{"line", line.number}, {"text", line.text}});
  }
  // Between head and tail, where the lines were.
  const std::size_t at = shown.text.size() - excerpt.tail.size();
  shown.text.insert(at, found);
  return shown;
}

std::size_t output_budget(const ResultSettings& settings, const std::string& tool, std::size_t usual) {
  constexpr std::size_t kRoomForWords = 800;
  if (!settings.offload) return std::size_t{1} << 20;
  const auto own = settings.limits.find(tool);
  const std::size_t limit =
      own == settings.limits.end() ? usual : static_cast<std::size_t>(std::max(own->second, 3000));
  return limit - kRoomForWords;
}

Result describe_end(const process::Job& command, const CommandFacts& facts, std::size_t budget,
                    bool seen_live) {
  const process::OutputLog& log = command.log();
  const process::OutputState output = log.state();
  // A longer output leaves space for important lines and notes.
  const bool fits = output.all.bytes <= budget;
  const auto excerpt =
      process::head_and_tail(log, fits ? budget : budget - budget / kErrorLineShare - budget / 8);
  if (!excerpt) return fail(excerpt.error());
  auto shown = show_output(command, *excerpt, 0, output.all.bytes);
  if (!shown) return fail(shown.error());

  const process::JobStatus status = command.status();
  std::string outcome = outcome_text(command);
  outcome[0] = to_upper(outcome[0]);
  if (seen_live) shown->complete = true;
  std::string content = seen_live ? std::string() : shown->text;
  if (!content.empty() && !content.ends_with('\n')) content += '\n';
  content += closing_lines(command, facts, *shown);
  if (content.empty() && !seen_live) content = "(no output)\n";

  JsonObject data = command_data(command, facts);
  data.append("stdout", stream_text(log, process::Stream::kOutput, output.output.bytes, budget));
  data.append("stderr", stream_text(log, process::Stream::kError, output.error.bytes, budget));
  if (!shown->complete) {
    data.append("outputPath", log.path());
    data.append("bytesLeftOut", excerpt->bytes_left_out());
    data.append("linesLeftOut", excerpt->lines_left_out);
    data.append("errorLines", std::move(shown->error_lines));
  }
  const std::string lines = output.all.lines == 0 ? "no output" : count_of(output.all.lines, "line", "lines");
  return Output{.summary = concat(outcome, ", ", lines),
                .content = std::move(content),
                .data = std::move(data),
                .truncated = !shown->complete};
}

}  // namespace helve::core
