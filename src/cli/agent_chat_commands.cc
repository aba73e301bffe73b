// What the commands /ps, /tail, /undo and so on do.

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "base/to_number.h"
#include "base/utf8.h"
#include "cli/agent_chat.h"
#include "model/make_model.h"
#include "terminal/diff_view.h"

namespace helve::cli {
namespace {

using terminal::Colour;
using terminal::Line;

std::optional<int> count_in(std::string_view word) {
  const auto number = to_number<int>(word);
  return number && *number >= 1 ? number : std::nullopt;
}

// A name and what it is, the second part under itself when it is wrapped.
Line entry(std::string_view name, std::size_t width, std::string_view text) {
  Line line(name, {.bold = true});
  line.add(std::string(line.width() < width ? width - line.width() : 1, ' '));
  line.hang = width;
  return line.add(text);
}

}  // namespace

void AgentChat::run(const SlashLine& line) {
  if (!line.command) return view_.show_problem({ErrorCode::kInvalidArgument, line.complaint});
  const SlashCommand command = *line.command;
  const bool needs_quiet = command == SlashCommand::kUndo || command == SlashCommand::kRedo ||
                           command == SlashCommand::kModel || command == SlashCommand::kResume;
  if (needs_quiet && is_running())
    return view_.show_note("The model is at work. Interrupt it with Esc first, or wait.");
  const bool needs_session = command == SlashCommand::kPs || command == SlashCommand::kTail ||
                             command == SlashCommand::kStop || command == SlashCommand::kUndo ||
                             command == SlashCommand::kRedo || command == SlashCommand::kDiff ||
                             command == SlashCommand::kCost;
  if (needs_session && !agent_) return view_.show_note("Nothing was said or done yet.");
  switch (command) {
    case SlashCommand::kHelp: return show_help();
    case SlashCommand::kPs: return show_answer(call("process", {{"action", "list"}}));
    case SlashCommand::kTail: return tail(line.words);
    case SlashCommand::kStop: return stop_command(line.words);
    case SlashCommand::kUndo: return undo(line.words);
    case SlashCommand::kRedo: return redo();
    case SlashCommand::kDiff: {
      JsonObject arguments{{"action", "diff"}};
      if (!line.words.empty()) arguments.append("path", line.words.front());
      return show_answer(call("history", std::move(arguments)));
    }
    case SlashCommand::kTools: return show_tools();
    case SlashCommand::kCost: return show_cost();
    case SlashCommand::kMode: return choose_mode(line.words);
    case SlashCommand::kModel: return choose_model(line.words);
    case SlashCommand::kResume: return resume(line.words.empty() ? std::string() : line.words.front());
    case SlashCommand::kQuit: wants_to_leave_ = true; return;
  }
}

void AgentChat::show_answer(const Answer& answer) {
  if (!answer.ok()) return view_.show_problem(answer.result.error());
  const std::string& content = answer.result->content;
  if (content.starts_with("--- ") || content.contains("\n--- "))
    return view_.show(terminal::diff_view(content, 5'000));
  std::vector<Line> lines;
  for (const std::string_view row : split(trim(content.empty() ? answer.result->summary : content), '\n')) {
    Line& line = lines.emplace_back(row);
    line.hang = 2;
  }
  view_.show(lines);
}

void AgentChat::show_help() {
  std::vector<Line> lines;
  for (const SlashCommandInfo& info : slash_commands())
    lines.push_back(
        entry(concat(info.name, info.arguments.empty() ? "" : " ", info.arguments), 22, info.summary));
  for (const skills::Skill& skill : setup_.shelf().set.skills)
    if (skill.user_invocable)
      lines.push_back(
          entry(concat("/", skill.name, skill.argument_hint.empty() ? "" : " ", skill.argument_hint), 22,
                shortened(skill.description, 200)));
  lines.emplace_back();
  lines.push_back(entry("Esc, Ctrl-C", 22, "interrupt the model; background commands go on"));
  lines.push_back(entry("Ctrl-O", 22, "the last result, whole"));
  lines.push_back(entry("Alt-Enter, Ctrl-J", 22, "a line break; so does \\ at the end of a line"));
  lines.push_back(entry("Up, Ctrl-R", 22, "what you said before"));
  lines.push_back(entry("Ctrl-D", 22, "leave"));
  view_.show(lines);
}

void AgentChat::show_tools() {
  std::vector<Line> lines;
  for (const auto& tool : setup_.runtime().tools().list()) {
    const std::string& description = tool->definition.description;
    lines.push_back(entry(tool->definition.name, 18, description.substr(0, description.find('\n'))));
  }
  view_.show(lines);
}

void AgentChat::show_cost() {
  std::string text =
      concat(with_thousands(static_cast<std::size_t>(usage_.input_tokens)), " tokens read (",
             with_thousands(static_cast<std::size_t>(usage_.cached_tokens)), " from a cache), ",
             with_thousands(static_cast<std::size_t>(usage_.output_tokens)), " written.");
  const Settings::Prices& prices = setup_.runtime().settings().model.prices;
  const double cost = model::cost_of(usage_, prices);
  if (cost > 0) {
    const std::int64_t parts = std::llround(cost * 10'000);
    const std::string fraction = std::to_string(10'000 + parts % 10'000).substr(1);
    text += concat("\nCost: ", parts / 10'000, ".", fraction);
  } else {
    text += "\nWhat that costs is not known; the setting model.prices would say it.";
  }
  view_.show_note(text);
}

void AgentChat::tail(const std::vector<std::string>& words) {
  const Answer list = call("process", {{"action", "list"}});
  if (!list.ok()) return show_answer(list);
  const bool has_id = !words.empty() && !count_in(words.front());
  const std::size_t after_id = has_id ? 1 : 0;
  const auto lines = words.size() > after_id ? count_in(words[after_id]) : std::optional(20);
  if (!lines) return view_.show_note("How many lines? /tail ID 50");
  const auto command =
      choose_command(commands_in(list.result->data), has_id ? words.front() : std::string_view(), "/tail");
  if (!command) return view_.show_problem(command.error());
  show_answer(call("process",
                   {{"action", "log"}, {"sessionId", command->id}, {"offset", -*lines}, {"limit", *lines}}));
}

void AgentChat::stop_command(const std::vector<std::string>& words) {
  const Answer list = call("process", {{"action", "list"}});
  if (!list.ok()) return show_answer(list);
  const std::string id = words.empty() ? std::string() : words.front();
  const auto commands = commands_in(list.result->data);
  const auto running = running_of(commands);
  // One that has ended says so itself.
  const bool known = std::ranges::find(commands, id, &BackgroundCommand::id) != commands.end();
  if (running.empty() && !known) return view_.show_note("No command runs in the background.");
  const auto command = choose_command(known ? commands : running, id, "/stop");
  if (!command) return view_.show_problem(command.error());
  const Answer ended = call("process", {{"action", "kill"}, {"sessionId", command->id}});
  if (!ended.ok()) return show_answer(ended);
  // The end of one that ran is an event.
  if (!command->running) view_.show_note(ended.result->summary);
}

void AgentChat::undo(const std::vector<std::string>& words) {
  const auto steps = words.empty() ? std::optional(1) : count_in(words.front());
  if (!steps) return view_.show_note("How many changes? /undo, or /undo 3");
  Answer answer = call("undo", {{"steps", *steps}});
  if (!answer.ok()) {
    std::string& hint = answer.result.error().hint;
    hint = replace_all(hint, "history with the action redo", "/redo");
    hint = replace_all(hint, "undo with the path ", "at a shell, helve undo ");
  }
  show_answer(answer);
  // Otherwise the model would believe in what is no longer there.
  if (answer.ok())
    notes_.push_back(concat("Note from Helve: the user took back changes. ", answer.result->summary));
}

void AgentChat::redo() {
  Answer answer = call("history", {{"action", "redo"}});
  if (!answer.ok() && answer.result.error().code == ErrorCode::kNotFound)
    answer.result.error().hint = "/undo takes something back first.";
  show_answer(answer);
  if (answer.ok())
    notes_.push_back(concat("Note from Helve: the user made changes again that were taken back. ",
                            answer.result->summary));
}

void AgentChat::choose_mode(const std::vector<std::string>& words) {
  constexpr auto kModes = enum_names(Mode());
  const std::string names = join(std::vector<std::string>(kModes.begin(), kModes.end()), ", ");
  if (words.empty())
    return view_.show_note(
        concat("The mode is ", name_of(setup_.mode()), ". /mode NAME takes another one: ", names));
  const auto found = std::ranges::find(kModes, to_lower(words.front()));
  if (found == kModes.end())
    return view_.show_problem({ErrorCode::kInvalidArgument, concat("There is no mode ", words.front(), "."),
                               concat("The modes are ", names, ".")});
  const auto mode = static_cast<Mode>(found - kModes.begin());
  setup_.use_mode(mode);
  if (agent_) agent_->session().use_mode(mode);
  view_.show_note(concat("From the next call on: ", name_of(mode), ", until you leave"));
}

void AgentChat::choose_model(const std::vector<std::string>& words) {
  if (words.empty())
    return view_.show_note(
        concat("The model is ", setup_.model().name(), ". /model NAME takes another one."));
  const auto warnings = setup_.use_model(words.front());
  if (!warnings) return view_.show_problem(warnings.error());
  for (const std::string& warning : *warnings) view_.show(Line(warning, {Colour::kYellow}));
  if (agent_)
    if (auto noted = agent_->note_model(); !noted) return view_.show_problem(noted.error());
  view_.show_note(concat("From now on: ", setup_.model().name()));
}

void AgentChat::show_sessions() {
  const auto list = setup_.records().list({.workspace = setup_.runtime().workspace(), .most = 10});
  if (!list) return view_.show_problem(list.error());
  std::vector<Line> lines;
  for (const store::SessionRecord& record : list->sessions) {
    Line& line = lines.emplace_back(record.id, terminal::Style{.bold = true});
    line.add(concat("  ", record.updated.substr(0, 16), "  "), {Colour::kDim}).add(record.title);
    line.hang = 4;
  }
  if (lines.empty()) return view_.show_note("There is no session in this workspace yet.");
  lines.emplace_back("/resume ID goes on with one.", terminal::Style{Colour::kDim});
  view_.show(lines);
}

}  // namespace helve::cli
