#include "cli/agent_chat.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "model/make_model.h"

namespace helve::cli {
namespace {

// "950", "12.3k", "1.2M"
std::string short_number(std::int64_t number) {
  if (number < 1'000) return std::to_string(number);
  const auto in = [&](std::int64_t unit, std::string_view sign) {
    const std::int64_t tenths = number * 10 / unit;
    return tenths >= 1000 || tenths % 10 == 0 ? concat(tenths / 10, sign)
                                              : concat(tenths / 10, ".", tenths % 10, sign);
  };
  return number < 1'000'000 ? in(1'000, "k") : in(1'000'000, "M");
}

}  // namespace

AgentChat::AgentChat(AgentSetup& setup, AgentView& view, std::function<void()> wake)
    : setup_(setup), view_(view), wake_(std::move(wake)), people_(std::make_shared<TerminalPeople>(wake_)) {}

AgentChat::~AgentChat() {
  if (is_running()) {
    interrupt();
    turn_.join();
  }
  drop_agent();
}

void AgentChat::drop_agent() {
  follower_ = {};  // asks it to end, and waits
  person_.reset();
  agent_.reset();
}

void AgentChat::adopt(std::unique_ptr<agent::Agent> agent) {
  drop_agent();
  agent_ = std::move(agent);
  person_ = agent_->person_session();
  seq_ = 0;
  EventStream& events = agent_->session().events();
  follower_ = std::jthread([&events, wake = wake_](const std::stop_token& done) {
    std::uint64_t seen = 0;
    while (!done.stop_requested()) {
      const auto batch = events.wait_after(seen, done, std::chrono::seconds(60));
      if (batch.events.empty()) continue;
      seen = batch.events.back()->seq;
      wake();
    }
  });
  note_usage();
}

bool AgentChat::begin_session(const std::string& title) {
  auto begun = setup_.begin(title, people_of());
  if (!begun) {
    view_.show_problem(begun.error());
    return false;
  }
  adopt(*std::move(begun));
  return true;
}

std::vector<std::string> AgentChat::skills() const {
  std::vector<std::string> names;
  for (const skills::Skill& skill : setup_.shelf().set.skills)
    if (skill.user_invocable) names.push_back(skill.name);
  return names;
}

void AgentChat::say(const std::string& text) {
  if (is_running()) {
    queued_.push_back(text);
    return;
  }
  view_.show_said(text);
  const auto task = setup_.task_of(text);
  if (!task) return view_.show_problem(task.error());
  if (!agent_ && !begin_session(text)) return;
  for (const std::string& warning :
       agent::allow_tools_of_skill(agent_->session(), task->skill, task->allowed_tools))
    view_.show_note(warning);
  std::string said;
  for (const std::string& note : std::exchange(notes_, {})) said += concat("(", note, ")\n\n");
  start_turn(said + task->text);
}

std::string AgentChat::take_queued() {
  std::string all;
  for (const std::string& text : std::exchange(queued_, {})) all += concat(all.empty() ? "" : "\n", text);
  return all;
}

void AgentChat::resume(const std::string& id, const std::string& text) {
  if (id.empty() && agent_ && text.empty()) {
    if (agent_->can_go_on()) return start_turn({});
    return show_sessions();
  }
  // The session that is open must be closed before it can be opened again.
  if (agent_ && agent_->id() == id) return view_.show_note("That is the session you are in.");
  auto resumed = setup_.resume(id, people_of());
  if (!resumed) return view_.show_problem(resumed.error());
  const auto ended = background_commands();
  adopt(*std::move(resumed));
  if (!ended.empty()) view_.show_note(ended_text(ended));
  show_past();
  if (!text.empty()) return say(text);
  if (agent_->can_go_on()) start_turn({});
}

// Where the conversation was, in a few lines.
void AgentChat::show_past() {
  const auto& items = agent_->transcript().items();
  const auto said = std::find_if(items.rbegin(), items.rend(), [](const agent::Transcript::Item& item) {
    const auto* user = std::get_if<agent::UserEntry>(&item);
    return user != nullptr && !user->from_helve;
  });
  view_.show_note(concat("Session ", agent_->id(), ", ", count_of(items.size(), "step"), " so far."));
  if (said != items.rend()) view_.show_said(std::get<agent::UserEntry>(*said).text);
  if (const std::string last = agent_->last_text(); !last.empty()) {
    terminal::MarkdownStream text({.styles = true});
    auto lines = text.feed(last);
    for (terminal::Line& line : text.finish()) lines.push_back(std::move(line));
    view_.show(lines);
  }
}

void AgentChat::start_turn(std::string text) {
  stop_ = {};
  turn_ended_ = false;
  ending_.reset();
  turn_began_ = AgentView::Clock::now();
  turn_ = std::jthread([this, text = std::move(text), stop = stop_.get_token()] {
    ending_ = text.empty() ? agent_->go_on(stop) : agent_->say(text, stop);
    turn_ended_ = true;
    wake_();
  });
}

void AgentChat::interrupt() { stop_.request_stop(); }

void AgentChat::show_events() {
  if (!agent_) return;
  const EventStream& events = agent_->session().events();
  for (auto batch = events.after(seq_); !batch.events.empty(); batch = events.after(seq_)) {
    // A session that goes on does not begin with 1, and that is nothing missed.
    if (batch.missed > 0 && seq_ > 0)
      view_.show_note(concat("(", count_of(batch.missed, "event"), " came too fast to be shown.)"));
    for (const auto& event : batch.events) {
      view_.take(*event);
      seq_ = event->seq;
    }
  }
}

void AgentChat::catch_up() {
  const bool ended = turn_ended_;  // before the events, so that all of the turn's are there
  show_events();
  if (ended && is_running()) end_turn();
}

void AgentChat::end_turn() {
  turn_.join();
  turn_ = {};
  turn_ended_ = false;
  view_.end_turn();
  note_usage();
  const bool interrupted = ending_ && ending_->reason == "cancelled";
  if (interrupted) view_.show_note("Interrupted. Say what to do instead; /resume goes on.");
  if (interrupted || queued_.empty()) return;
  const std::string next = queued_.front();
  queued_.pop_front();
  say(next);
}

void AgentChat::note_usage() {
  usage_ = agent_->transcript().usage();
  const agent::Round* last = agent_->transcript().last_round();
  context_tokens_ = last == nullptr ? 0 : last->reply.usage.input_tokens + last->reply.usage.output_tokens;
}

std::string AgentChat::status() const {
  std::string status = concat(setup_.model().name(), " · ", name_of(setup_.mode()));
  const auto window = setup_.model().context_window();
  if (window && *window > 0)
    status += concat(" · ", context_tokens_ * 100 / *window, "% of ", short_number(*window));
  else if (context_tokens_ > 0)
    status += concat(" · context ", short_number(context_tokens_));
  if (usage_.input_tokens + usage_.output_tokens > 0)
    status +=
        concat(" · ", short_number(usage_.input_tokens), " in, ", short_number(usage_.output_tokens), " out");
  const double cost = model::cost_of(usage_, setup_.runtime().settings().model.prices);
  if (cost > 0) {
    const std::int64_t cents = std::llround(cost * 100);
    status += cents == 0 ? " · cost < 0.01"
                         : concat(" · cost ", cents / 100, cents % 100 < 10 ? ".0" : ".", cents % 100);
  }
  return status;
}

std::vector<BackgroundCommand> AgentChat::background_commands() {
  return person_ ? running_commands(setup_.runtime(), person_) : std::vector<BackgroundCommand>();
}

Answer AgentChat::call(std::string tool, JsonObject arguments) {
  return setup_.runtime().call(person_, {.tool = std::move(tool), .arguments = std::move(arguments)});
}

}  // namespace helve::cli
