// Manages background jobs.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "core/command_report.h"
#include "core/engines.h"
#include "core/session_state.h"
#include "helve/session.h"
#include "helve/tool.h"
#include "process/output_text.h"
#include "regex/regex.h"

namespace helve::tools {

struct Process {
  static constexpr std::string_view kDescription =
      "Manage background jobs: list, poll, log, write, wait, kill, clear, remove.\n"
      "poll returns output since the last poll; log returns any lines; wait waits for the exit, a pattern, a "
      "port or silence.";
  static constexpr Effect kEffect = Effect::kExecute;
  static constexpr std::string_view kData =
      "{sessions?: [any], sessionId?: string, state?: string, exitCode?: integer|null, newOutput?: "
      "string}";
  static constexpr bool kHonoursStop = true;
  static constexpr std::size_t kResultLimit = 5000;
  // Input may contain a password.
  static constexpr auto kUnrecorded = std::to_array<std::string_view>({"data"});

  enum class Action { kList, kPoll, kLog, kWrite, kWait, kKill, kClear, kRemove };
  friend constexpr auto enum_names(Action) {
    return std::to_array<std::string_view>(
        {"list", "poll", "log", "write", "wait", "kill", "clear", "remove"});
  }

  struct Params {
    Action action = Action::kList;
    std::string session_id;
    std::optional<int> offset;
    int limit = 200;
    std::string data;
    bool eof = false;
    std::string pattern;
    std::optional<int> port;
    std::optional<int> quiet_ms;
    int timeout_ms = 60'000;

    void describe(ParamSpec& p) {
      p.required("action", action, "clear: drop the output so far; remove: kill the job and forget it.");
      p.optional("sessionId", session_id, "The job. Required except for list.");
      p.optional("offset", offset, "log: first line, from 1; negative counts from the end.");
      p.optional("limit", limit, "log: most lines.", {.min = 1, .max = 5000});
      p.optional("data", data, "write: text for standard input.", {.max_length = 1'000'000});
      p.optional("eof", eof, "write: close standard input after the data.");
      p.optional("pattern", pattern, "wait: until the output matches this regular expression.");
      p.optional("port", port, "wait: until the job listens on this TCP port.", {.min = 1, .max = 65'535});
      p.optional("quietMs", quiet_ms, "wait: until the job has been silent this long.",
                 {.min = 1, .max = 3'600'000});
      p.optional("timeoutMs", timeout_ms, "wait: longest wait; the job continues.",
                 {.min = 1, .max = 86'400'000});
    }
  };

  // Looking at a job or killing it never waits for other calls.
  std::vector<Resource> resources(const Params& /*params*/) const { return {}; }
  Effect effect(const Params& params) const {
    const bool acts = params.action == Action::kWrite || params.action == Action::kKill ||
                      params.action == Action::kClear || params.action == Action::kRemove;
    return acts ? Effect::kExecute : Effect::kRead;
  }
  std::optional<std::chrono::milliseconds> time_limit(const Params& params) const {
    return std::chrono::milliseconds(params.timeout_ms) + std::chrono::minutes(1);
  }
  Result foresee(Context& context, const Params& params) const;
  Result execute(Context& context, const Params& params) const;
};

namespace {

using process::WaitOutcome;
using std::chrono::milliseconds;
using Command = std::shared_ptr<process::Job>;

std::size_t budget_of(const Context& context) {
  return core::output_budget(context.engines().settings.results, "process", Process::kResultLimit);
}

JsonObject data_of(Context& context, const Command& command) {
  return core::command_data(*command, session_state(context).commands.facts(command->id()));
}

Result list(Context& context) {
  const std::vector<Command> commands = session_state(context).commands.list();
  std::string content;
  JsonArray sessions;
  for (const Command& command : commands) {
    content += concat(core::list_line(*command), "\n");
    sessions.emplace_back(data_of(context, command));
  }
  const auto running = static_cast<std::size_t>(
      std::ranges::count_if(commands, [](const Command& command) { return command->status().running(); }));
  return Output{.summary = concat(count_of(commands.size(), "command"), ", ", running, " running"),
                .content = content.empty() ? "(no background commands)\n" : content,
                .data = JsonObject{{"sessions", std::move(sessions)}, {"running", running}}};
}

// New output since the last poll, and the job's state.
Result poll(Context& context, const Command& command, std::string_view before = {}) {
  const auto polled = command->poll(budget_of(context) - 1000);
  if (!polled) return fail(polled.error());
  auto shown = core::show_output(*command, polled->excerpt, polled->from, polled->to);
  if (!shown) return fail(shown.error());
  const bool running = command->status().running();
  if (!running) session_state(context).commands.finish(context.engines(), context.session(), *command);
  JsonObject data = data_of(context, command);
  data.append("newOutput", shown->text);
  data.append("newBytes", polled->to - polled->from);
  data.append("outputPath", command->log().path());
  std::string content = shown->text;
  if (!content.empty() && !content.ends_with('\n')) content += '\n';
  if (content.empty()) content = "(no new output)\n";
  if (!shown->complete)
    content +=
        concat("(All output is in ", command->log().path(), "; use log, read or grep for the rest.)\n");
  content += concat("(", before, core::outcome_text(*command), ")\n");
  const auto facts = session_state(context).commands.facts(command->id());
  if (const std::string said = core::settled_text(facts.settled); !said.empty())
    content += concat("(", said, ")\n");
  return Output{.summary = concat(command->id(), ": ", before, core::outcome_text(*command)),
                .content = std::move(content),
                .data = std::move(data),
                .truncated = !shown->complete};
}

Result log(Context& context, const Command& command, const Process::Params& params) {
  const process::OutputLog& output = command->log();
  const std::uint64_t total = output.state().all.lines;
  const int wanted = params.offset.value_or(1);
  const auto from_end = static_cast<std::uint64_t>(-static_cast<std::int64_t>(std::min(wanted, 0)));
  std::uint64_t first = wanted > 0 ? static_cast<std::uint64_t>(wanted) : 1;
  if (wanted < 0) first = from_end >= total ? 1 : total - from_end + 1;
  if (wanted == 0) return fail(ErrorCode::kInvalidArgument, "offset 0 is not a line; lines count from 1.");
  if (first > std::max<std::uint64_t>(total, 1))
    return fail(
        ErrorCode::kInvalidArgument,
        concat(command->id(), " has written ", count_of(total, "line"), "; there is no line ", first, "."),
        "Use a smaller offset, or a negative one to count from the end.");
  const auto begin = output.line_offset(first);
  if (!begin) return fail(begin.error());
  const auto end = output.line_offset(first + static_cast<std::uint64_t>(params.limit));
  if (!end) return fail(end.error());
  const auto part = output.read(
      *begin, static_cast<std::size_t>(std::min<std::uint64_t>(*end - *begin, std::size_t{1} << 20)));
  if (!part) return fail(part.error());

  std::string content;
  std::uint64_t line = first;
  std::string_view rest = part->bytes;
  const std::size_t budget = budget_of(context);
  // The answer says where it was cut, so that the next call can continue there.
  while (!rest.empty() && content.size() < budget) {
    const std::size_t length = std::min(rest.find('\n'), rest.size() - 1) + 1;
    std::string text = process::clean_text(rest.substr(0, length));
    while (text.ends_with('\n')) text.pop_back();
    content += concat(line, "\t", shortened(text, 1000), "\n");
    rest.remove_prefix(length);
    ++line;
  }
  const bool more = line <= total;
  JsonObject data = data_of(context, command);
  data.append("firstLine", first);
  data.append("lines", line - first);
  data.append("totalLines", total);
  if (more) {
    data.append("nextOffset", line);
    content += concat("(", with_thousands(total - line + 1), " more lines; go on with offset ", line, ")\n");
  }
  return Output{
      .summary = concat(command->id(), ": lines ", first, "–", line - 1, " of ", with_thousands(total)),
      .content = content.empty() ? "(no output)\n" : content,
      .data = std::move(data),
      .truncated = more};
}

// Why the wait ended early.
std::string wait_cut_short(const Process::Params& params) {
  std::vector<std::string> missed;
  if (!params.pattern.empty()) missed.emplace_back("the pattern has not come");
  if (params.port) missed.push_back(concat("it does not listen on port ", *params.port));
  return concat(enumerate(missed), missed.empty() ? "" : ", but ",
                "the wait is over, as the command wants input; ");
}

std::string outcome_of_wait(WaitOutcome outcome, const Process::Params& params) {
  switch (outcome) {
    case WaitOutcome::kEnded: return "";
    case WaitOutcome::kPattern: return "the pattern was found; ";
    case WaitOutcome::kPort: return "it listens; ";
    case WaitOutcome::kQuiet: return "it is quiet; ";
    case WaitOutcome::kInput: return wait_cut_short(params);
    case WaitOutcome::kTimeout: return "the time to wait is over; ";
    case WaitOutcome::kStopped: return "";
  }
  return "";
}

// The job listens on other ports than the expected one.
std::string ports_text(const Command& command) {
  if (!command->status().running()) return {};
  std::vector<std::string> ports;
  for (const std::uint16_t port : command->usage().listening_ports) ports.push_back(concat(port));
  return ports.empty() ? "it listens on no port; "
                       : concat("it listens on port ", enumerate(ports), " instead; ");
}

// Says that a sandboxed server is reachable only by other jobs, because it looks broken to the user.
std::string_view reach_of(const Command& command) {
  const sandbox::Plan& plan = command->request().launch.plan;
  if (plan.network || plan.level == sandbox::Level::kOff) return "";
  return "(Only commands of this session reach it; the user can change that with the setting "
         "sandbox.network.)\n";
}

Result wait(Context& context, const Command& command, const Process::Params& params) {
  process::WaitCondition condition;
  std::shared_ptr<regex::Finder> finder;
  if (!params.pattern.empty()) {
    auto pattern = regex::Regex::compile(params.pattern);
    if (!pattern) return fail(pattern.error());
    finder = std::make_shared<regex::Finder>(*pattern);
    condition.pattern = [finder](std::string_view text) { return finder->matches(text); };
    // Existing output counts, except output from before the last input.
    condition.from = session_state(context).commands.facts(command->id()).output_before_input;
  }
  if (params.port) condition.port = static_cast<std::uint16_t>(*params.port);
  if (params.quiet_ms) condition.quiet = milliseconds(*params.quiet_ms);
  const WaitOutcome outcome =
      command->wait(condition, context.stop_token(), Context::Clock::now() + milliseconds(params.timeout_ms));
  if (outcome == WaitOutcome::kStopped) return fail(context.stop_error());
  const std::string elsewhere =
      outcome == WaitOutcome::kTimeout && params.port ? ports_text(command) : std::string();
  Result result = poll(context, command, concat(outcome_of_wait(outcome, params), elsewhere));
  if (result) {
    constexpr std::string_view kNames[] = {"ended", "pattern", "port",   "quiet",
                                           "input", "timeout", "stopped"};
    result->data["outcome"] = kNames[static_cast<std::size_t>(outcome)];
    if (outcome == WaitOutcome::kPort) result->content += reach_of(command);
  }
  return result;
}

Error nothing_to_write() {
  return {ErrorCode::kInvalidArgument, "There is nothing to write.", "Give data, or eof, or both."};
}

// Whether the job waits for the rest of a line: the only output is the terminal's echo. A terminal in raw
// mode echoes nothing and does not read lines.
bool waits_for_rest_of_line(Context& context, const Command& command, const std::string& data,
                            std::uint64_t before, Context::Clock::time_point until) {
  if (data.empty() || data.ends_with('\n') || data.ends_with('\r')) return false;
  const bool terminal = command->request().terminal;
  const auto came = command->log().read(before, data.size() + 1);
  const bool is_echo = terminal && came && came->bytes == data;
  if (!came || (!came->bytes.empty() && !is_echo)) return false;
  if (is_echo) command->wait({}, context.stop_token(), until);
  const auto waiting = command->status().waiting;
  return waiting && (!terminal || is_echo || waiting->password);
}

Result write(Context& context, const Command& command, const Process::Params& params) {
  if (params.data.empty() && !params.eof) return fail(nothing_to_write());
  const std::uint64_t before = command->log().size();
  if (auto written = command->write(params.data, params.eof); !written) return fail(written.error());
  session_state(context).commands.note_input(command->id(), before);
  // Waits briefly, because most programs answer at once.
  const auto until = Context::Clock::now() + milliseconds(1000);
  const auto anything = [](std::string_view text) { return !text.empty(); };
  command->wait({.pattern = anything, .from = before, .input = false}, context.stop_token(), until);
  command->wait({.quiet = milliseconds(100), .input = false}, context.stop_token(), until);
  const bool is_unfinished =
      !params.eof && waits_for_rest_of_line(context, command, params.data, before, until);
  Result result =
      poll(context, command,
           concat("wrote ", count_of(params.data.size(), "byte"), params.eof ? " and end of file; " : "; "));
  if (result && is_unfinished)
    result->content +=
        "(The data does not end in a newline; if lines are read, write \"\\n\" to end this one.)\n";
  return result;
}

Result kill(Context& context, const Command& command) {
  if (!command->status().running())
    return Output{.summary = concat(command->id(), " had ended before: ", core::outcome_text(*command)),
                  .content = concat("(", core::outcome_text(*command), ")\n"),
                  .data = data_of(context, command)};
  command->kill();
  if (!command->wait_for_end(context.stop_token(), Context::Clock::now() + std::chrono::seconds(30)))
    return fail(ErrorCode::kTimeout, concat(command->id(), " is being killed, but has not ended yet."),
                "Look again with action list.");
  return poll(context, command);
}

Expected<Command> find(const Context& context, const Process::Params& params) {
  if (params.session_id.empty())
    return fail(ErrorCode::kInvalidArgument,
                concat("process ", name_of(params.action), " needs a sessionId."),
                "Use action list to see the commands there are.");
  return session_state(context).commands.find(params.session_id);
}

// Describes the action with the job's command line, because its id means nothing to the user.
std::string intention(const process::Job& command, const Process::Params& params) {
  constexpr std::size_t kLongestCommand = 500;
  const std::string which =
      concat(command.id(), " (", to_text(Json(shortened(command.command(), kLongestCommand))), ")");
  switch (params.action) {
    case Process::Action::kWrite:
      // The input comes last because it may be long.
      return concat("write to ", which, params.eof ? " and close its input" : "",
                    params.data.empty() ? "" : concat(": ", to_text(Json(params.data))));
    case Process::Action::kClear: return concat("forget the output so far of ", which);
    case Process::Action::kRemove:
      return concat(command.status().running() ? "end and forget " : "forget ", which);
    case Process::Action::kKill:
      return concat("end ", which, command.status().running() ? "" : ", which has ended already");
    default: return concat(name_of(params.action), " ", which);
  }
}

}  // namespace

Result Process::foresee(Context& context, const Params& params) const {
  if (params.action == Action::kList) return Output();
  const auto found = find(context, params);
  if (!found) return fail(found.error());
  if (params.action == Action::kWrite && params.data.empty() && !params.eof) return fail(nothing_to_write());
  return Output{.summary = intention(**found, params), .diff_is_whole = true};
}

Result Process::execute(Context& context, const Params& params) const {
  if (params.action == Action::kList) return list(context);
  const auto found = find(context, params);
  if (!found) return fail(found.error());
  switch (params.action) {
    case Action::kList: break;
    case Action::kPoll: return poll(context, *found);
    case Action::kLog: return log(context, *found, params);
    case Action::kWrite: return write(context, *found, params);
    case Action::kWait: return wait(context, *found, params);
    case Action::kKill: return kill(context, *found);
    case Action::kClear: {
      (*found)->clear();
      return Output{.summary = concat("The output of ", params.session_id, " so far is forgotten"),
                    .content = (*found)->status().running()
                                   ? "(the output so far is dropped; the job continues)\n"
                                   : "(the output is forgotten)\n",
                    .data = data_of(context, *found)};
    }
    case Action::kRemove: {
      const bool killed = (*found)->status().running();
      if (auto removed =
              session_state(context).commands.remove(context.engines(), context.session(), params.session_id);
          !removed)
        return fail(removed.error());
      return Output{.summary = concat(params.session_id, killed ? " is killed and removed" : " is removed"),
                    .content = killed ? "(killed and removed)\n" : "(removed)\n",
                    .data = JsonObject{{"sessionId", params.session_id}}};
    }
  }
  return list(context);
}

}  // namespace helve::tools
