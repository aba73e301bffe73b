#include "chat/slash_commands.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "base/utf8.h"
#include "chat/chat.h"
#include "helve/sandbox_status.h"
#include "model/make_model.h"
#include "terminal/diff_view.h"

namespace helve::chat {
namespace {

constexpr std::size_t kMostDiffLines = 5'000;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '-' || c == ':';
  });
}

std::optional<int> positive_number(std::string_view word) {
  const auto number = to_number<int>(word);
  return number && *number >= 1 ? number : std::nullopt;
}

// A name in bold and its description in a column of its own.
terminal::Line entry(std::string_view name, std::size_t width, std::string_view text) {
  terminal::Line line(name, {.bold = true});
  line.add(std::string(line.width() < width ? width - line.width() : 1, ' '));
  line.hang = width;
  return line.add(text);
}

std::string files_text(const RecordedChange& change) {
  std::vector<std::string> names;
  for (const RecordedChange::File& file : change.files) names.push_back(concat(file.path, " ", file.action));
  return enumerate(names);
}

}  // namespace

// A friend of Chat: the handlers are its private functions.
struct SlashTable {
  static constexpr SlashCommand kCommands[] = {
      {.name = "/status",
       .arguments = "",
       .help = "session, model, mode and sandbox",
       .run = &Chat::show_status},
      {.name = "/changes",
       .arguments = "",
       .help = "list the session's changes",
       .needs_session = true,
       .run = &Chat::show_changes},
      {.name = "/diff",
       .arguments = "[PATH]",
       .help = "show the last change of the session or of a file",
       .needs_session = true,
       .run = &Chat::show_diff},
      {.name = "/undo",
       .arguments = "[STEPS]",
       .help = "undo the session's last change",
       .needs_session = true,
       .needs_idle = true,
       .run = &Chat::undo},
      {.name = "/redo",
       .arguments = "[STEPS]",
       .help = "redo the last undone change",
       .needs_session = true,
       .needs_idle = true,
       .run = &Chat::redo},
      {.name = "/ps",
       .arguments = "",
       .help = "list background commands",
       .needs_session = true,
       .run = &Chat::show_background_commands},
      {.name = "/tail",
       .arguments = "[ID] [LINES]",
       .help = "show the last output of a background command",
       .needs_session = true,
       .run = &Chat::tail},
      {.name = "/stop",
       .arguments = "[ID]",
       .help = "end a background command",
       .needs_session = true,
       .run = &Chat::stop_command},
      {.name = "/tools", .arguments = "", .help = "list the model's tools", .run = &Chat::show_tools},
      {.name = "/cost",
       .arguments = "",
       .help = "show tokens and cost",
       .needs_session = true,
       .run = &Chat::show_cost},
      {.name = "/mode",
       .arguments = "[NAME]",
       .help = "show or set what needs approval: ask, accept-edits, plan, auto, full",
       .run = &Chat::choose_mode},
      {.name = "/model",
       .arguments = "[NAME]",
       .help = "show or change the model",
       .needs_idle = true,
       .run = &Chat::choose_model},
      {.name = "/resume",
       .arguments = "[ID]",
       .help = "finish an interrupted turn, or open another session",
       .needs_idle = true,
       .run = &Chat::resume_session},
      {.name = "/help", .arguments = "", .help = "show this list", .run = &Chat::show_help},
      {.name = "/quit", .arguments = "", .help = "quit", .run = &Chat::quit},
      {.name = "/exit", .arguments = "", .help = "", .run = &Chat::quit},
  };
};

std::span<const SlashCommand> slash_commands() { return SlashTable::kCommands; }

std::optional<SlashLine> parse_slash(std::string_view text, std::span<const std::string> skills) {
  text = trim(text);
  if (!text.starts_with('/')) return {};
  const std::string one_line = replace_all(text, "\n", " ");
  std::vector<std::string> words;
  for (const std::string_view word : split(one_line, ' '))
    if (!word.empty()) words.emplace_back(word);
  const std::string name = words.front();
  if (!is_name(std::string_view(name).substr(1))) return {};
  SlashLine line;
  line.words.assign(words.begin() + 1, words.end());
  std::vector<std::string> known;
  for (const SlashCommand& command : slash_commands()) {
    known.emplace_back(command.name);
    if (command.name == to_lower(name)) line.command = &command;
  }
  if (line.command != nullptr) return line;
  for (const std::string& skill : skills) {
    if (name == concat("/", skill)) return {};
    known.push_back(concat("/", skill));
  }
  const auto near = nearest(name, known);
  line.error = concat("Unknown command ", name, ".",
                      near.empty() ? "" : concat(" Did you mean ", near.front(), "?"), " /help lists all.");
  return line;
}

std::vector<std::string> complete_slash(std::string_view text, std::span<const std::string> skills) {
  std::vector<std::string> matches;
  if (!text.starts_with('/')) return matches;
  for (const SlashCommand& command : slash_commands())
    if (!command.help.empty() && command.name.starts_with(text)) matches.emplace_back(command.name);
  for (const std::string& skill : skills)
    if (concat("/", skill).starts_with(text)) matches.push_back(concat("/", skill));
  return matches;
}

void Chat::run(const SlashLine& line) {
  if (line.command == nullptr) return view_.show_problem({ErrorCode::kInvalidArgument, line.error});
  if (line.command->needs_idle && is_running())
    return view_.show_note("The model is working. Press Esc to interrupt it, or wait.");
  if (line.command->needs_session && !agent_) return view_.show_note("The session has not started yet.");
  (this->*line.command->run)(line.words);
}

void Chat::show_answer(const Answer& answer) {
  if (!answer.ok()) return view_.show_problem(answer.result.error());
  const std::string& content = answer.result->content;
  if (content.starts_with("--- ") || content.contains("\n--- "))
    return view_.show(terminal::diff_view(content, kMostDiffLines));
  std::vector<terminal::Line> lines;
  for (const std::string_view row : split(trim(content.empty() ? answer.result->summary : content), '\n')) {
    terminal::Line& line = lines.emplace_back(row);
    line.hang = 2;
  }
  view_.show(lines);
}

void Chat::show_help(const Words& /*words*/) {
  constexpr std::size_t kWidth = 22;
  std::vector<terminal::Line> lines;
  for (const SlashCommand& command : slash_commands())
    if (!command.help.empty())
      lines.push_back(entry(concat(command.name, command.arguments.empty() ? "" : " ", command.arguments),
                            kWidth, command.help));
  for (const skills::Skill& skill : setup_.shelf().set.skills)
    if (skill.user_invocable)
      lines.push_back(
          entry(concat("/", skill.name, skill.argument_hint.empty() ? "" : " ", skill.argument_hint), kWidth,
                shortened(skill.description, 200)));
  lines.emplace_back();
  lines.push_back(entry("Esc, Ctrl-C", kWidth, "interrupt the model; background commands continue"));
  lines.push_back(entry("Ctrl-O", kWidth, "show the whole last result"));
  lines.push_back(entry("Alt-Enter, Ctrl-J", kWidth, "insert a line break; or end the line with \\"));
  lines.push_back(entry("Up, Ctrl-R", kWidth, "earlier messages"));
  lines.push_back(entry("Ctrl-D", kWidth, "quit"));
  view_.show(lines);
}

void Chat::quit(const Words& /*words*/) { wants_to_quit_ = true; }

void Chat::show_status(const Words& /*words*/) {
  constexpr std::size_t kWidth = 11;
  const SandboxStatus sandbox = setup_.runtime().sandbox();
  std::string commands(name_of(sandbox.level));
  if (sandbox.level != SandboxLevel::kOff) commands += sandbox.network ? ", with network" : ", no network";
  if (!sandbox.missing.empty()) commands += concat("; not available here: ", join(sandbox.missing, ", "));
  view_.show({entry("Session", kWidth, agent_ ? agent_->id() : "not started"),
              entry("Workspace", kWidth, setup_.runtime().workspace()),
              entry("Model", kWidth, setup_.model().name()), entry("Mode", kWidth, name_of(setup_.mode())),
              entry("Sandbox", kWidth, commands)});
}

void Chat::show_tools(const Words& /*words*/) {
  std::vector<terminal::Line> lines;
  for (const auto& tool : setup_.runtime().tools().list()) {
    const std::string& description = tool->definition.description;
    lines.push_back(entry(tool->definition.name, 18, description.substr(0, description.find('\n'))));
  }
  view_.show(lines);
}

void Chat::show_cost(const Words& /*words*/) {
  std::string text = concat(with_thousands(static_cast<std::size_t>(usage_.input_tokens)), " tokens in (",
                            with_thousands(static_cast<std::size_t>(usage_.cached_tokens)), " cached), ",
                            with_thousands(static_cast<std::size_t>(usage_.output_tokens)), " out.");
  const ModelPrices& prices = settings::Groups(setup_.runtime().settings()).model.prices;
  const double cost = model::cost_of(usage_, prices);
  if (cost > 0) {
    const std::int64_t parts = std::llround(cost * 10'000);
    const std::string fraction = std::to_string(10'000 + parts % 10'000).substr(1);
    text += concat("\nCost: ", parts / 10'000, ".", fraction);
  } else {
    text += "\nSet model.prices to see the cost.";
  }
  view_.show_note(text);
}

void Chat::show_background_commands(const Words& /*words*/) {
  show_answer(call("process", {{"action", "list"}}));
}

void Chat::tail(const Words& words) {
  const Answer list = call("process", {{"action", "list"}});
  if (!list.ok()) return show_answer(list);
  const bool has_id = !words.empty() && !positive_number(words.front());
  const std::size_t after_id = has_id ? 1 : 0;
  const auto lines = words.size() > after_id ? positive_number(words[after_id]) : std::optional(20);
  if (!lines) return view_.show_note("LINES must be a positive number, as in /tail ID 50.");
  const auto command =
      choose_command(commands_in(list.result->data), has_id ? words.front() : std::string_view(), "/tail");
  if (!command) return view_.show_problem(command.error());
  show_answer(call("process",
                   {{"action", "log"}, {"sessionId", command->id}, {"offset", -*lines}, {"limit", *lines}}));
}

void Chat::stop_command(const Words& words) {
  const Answer list = call("process", {{"action", "list"}});
  if (!list.ok()) return show_answer(list);
  const std::string id = words.empty() ? std::string() : words.front();
  const auto commands = commands_in(list.result->data);
  const auto running = running_of(commands);
  const bool known = std::ranges::find(commands, id, &BackgroundCommand::id) != commands.end();
  if (running.empty() && !known) return view_.show_note("No background command is running.");
  const auto command = choose_command(known ? commands : running, id, "/stop");
  if (!command) return view_.show_problem(command.error());
  const Answer ended = call("process", {{"action", "kill"}, {"sessionId", command->id}});
  if (!ended.ok()) return show_answer(ended);
  // For a running command, an event reports the end.
  if (!command->running) view_.show_note(ended.result->summary);
}

void Chat::show_changes(const Words& /*words*/) {
  const auto history = setup_.runtime().changes(agent_->session());
  if (!history) return view_.show_problem(history.error());
  if (history->changes.empty()) return view_.show_note("The session has not changed any files.");
  std::vector<terminal::Line> lines;
  for (const RecordedChange& change : history->changes) {
    terminal::Line& line =
        lines.emplace_back(concat(change.time, "  "), terminal::Style{terminal::Colour::kDim});
    line.add(concat(change.tool, "  ", files_text(change)));
    if (change.state != "applied") line.add(concat("  (", change.state, ")"), {terminal::Colour::kDim});
    if (!change.not_undoable.empty())
      line.add(concat("  (cannot be undone: ", change.not_undoable, ")"), {terminal::Colour::kYellow});
    line.hang = 2;
  }
  lines.emplace_back(concat(count_of(history->changes.size(), "change"), ", ", history->undoable,
                            " can be undone, ", history->redoable, " can be redone"),
                     terminal::Style{terminal::Colour::kDim});
  view_.show(lines);
}

void Chat::show_diff(const Words& words) {
  JsonObject arguments{{"action", "diff"}};
  if (!words.empty()) arguments.append("path", words.front());
  show_answer(call("history", std::move(arguments)));
}

// `verb` is "Undid" or "Redid".
void Chat::show_outcome(const UndoOutcome& outcome, std::string_view verb) {
  std::vector<terminal::Line> lines;
  std::vector<std::string> names;
  for (const UndoOutcome::Step& step : outcome.steps) {
    names.push_back(files_text(step.change));
    terminal::Line& line =
        lines.emplace_back(concat(verb, " ", step.change.tool, " of ", step.change.time, ": ", names.back()));
    line.hang = 2;
    if (!step.diff.empty())
      for (terminal::Line& row : terminal::diff_view(step.diff, kMostDiffLines))
        lines.push_back(std::move(row));
    if (!step.not_redoable.empty()) lines.emplace_back(concat("This cannot be redone: ", step.not_redoable));
  }
  if (!outcome.stopped.empty()) lines.emplace_back(concat("Stopped: ", outcome.stopped));
  view_.show(lines);
  // Without the note, the model would rely on file contents that are gone.
  notes_.push_back(concat("Note from Helve: the user ", verb == "Undid" ? "undid" : "redid", " ",
                          count_of(outcome.steps.size(), "change"), ": ", join(names, "; ")));
}

void Chat::undo(const Words& words) {
  const auto steps = words.empty() ? std::optional(1) : positive_number(words.front());
  if (!steps) return view_.show_note("STEPS must be a positive number, as in /undo 3.");
  Runtime& runtime = setup_.runtime();
  auto outcome = runtime.undo(agent_->session(), static_cast<std::size_t>(*steps));
  if (outcome) return show_outcome(*outcome, "Undid");
  // The hints in these errors name tools; name commands instead.
  Error& error = outcome.error();
  if (error.code == ErrorCode::kNotFound) {
    const auto history = runtime.changes(agent_->session());
    error.hint = history && history->redoable > 0
                     ? "/redo restores the last undone change."
                     : "To undo a change of another session, run helve undo PATH in a shell.";
  } else if (error.kind == ErrorKind::kOtherChange) {
    error.hint = concat("Undo the later change first: run helve undo ", string_in(error.details, "path"),
                        " in a shell.");
  }
  view_.show_problem(error);
}

void Chat::redo(const Words& words) {
  const auto steps = words.empty() ? std::optional(1) : positive_number(words.front());
  if (!steps) return view_.show_note("STEPS must be a positive number, as in /redo 3.");
  auto outcome = setup_.runtime().redo(agent_->session(), static_cast<std::size_t>(*steps));
  if (outcome) return show_outcome(*outcome, "Redid");
  if (outcome.error().code == ErrorCode::kNotFound)
    outcome.error().hint = "Only undone changes can be redone.";
  view_.show_problem(outcome.error());
}

void Chat::choose_mode(const Words& words) {
  constexpr auto kModes = enum_names(Mode());
  const std::string names = join(std::vector<std::string>(kModes.begin(), kModes.end()), ", ");
  if (words.empty())
    return view_.show_note(
        concat("The mode is ", name_of(setup_.mode()), ". Change it with /mode NAME: ", names));
  const auto found = std::ranges::find(kModes, to_lower(words.front()));
  if (found == kModes.end())
    return view_.show_problem({ErrorCode::kInvalidArgument, concat("Unknown mode ", words.front(), "."),
                               concat("The modes are ", names, ".")});
  const auto mode = static_cast<Mode>(found - kModes.begin());
  setup_.use_mode(mode);
  if (agent_) agent_->session().use_mode(mode);
  view_.show_note(concat("Mode ", name_of(mode), " until you quit."));
}

void Chat::choose_model(const Words& words) {
  if (words.empty())
    return view_.show_note(concat("The model is ", setup_.model().name(), ". Change it with /model NAME."));
  const auto warnings = setup_.use_model(words.front());
  if (!warnings) return view_.show_problem(warnings.error());
  for (const std::string& warning : *warnings)
    view_.show(terminal::Line(warning, {terminal::Colour::kYellow}));
  if (agent_)
    if (auto noted = agent_->note_model(); !noted) return view_.show_problem(noted.error());
  view_.show_note(concat("The model is now ", setup_.model().name(), "."));
}

void Chat::resume_session(const Words& words) { resume(words.empty() ? std::string() : words.front()); }

void Chat::show_sessions() {
  const auto list = setup_.records().list({.workspace = setup_.runtime().workspace(), .most = 10});
  if (!list) return view_.show_problem(list.error());
  std::vector<terminal::Line> lines;
  for (const store::SessionRecord& record : list->sessions) {
    terminal::Line& line = lines.emplace_back(record.id, terminal::Style{.bold = true});
    line.add(concat("  ", record.updated.substr(0, 16), "  "), {terminal::Colour::kDim}).add(record.title);
    line.hang = 4;
  }
  if (lines.empty()) return view_.show_note("This workspace has no sessions yet.");
  lines.emplace_back("/resume ID opens one.", terminal::Style{terminal::Colour::kDim});
  view_.show(lines);
}

}  // namespace helve::chat
