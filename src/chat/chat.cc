#include "chat/chat.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"
#include "base/threads.h"
#include "model/make_model.h"

namespace helve::chat {
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

Chat::Chat(AgentSetup& setup, ChatView& view, std::function<void()> wake)
    : setup_(setup),
      view_(view),
      wake_(std::move(wake)),
      questions_(std::make_shared<QuestionQueue>(wake_)) {}

Chat::~Chat() {
  if (is_running()) {
    interrupt();
    turn_.join();
  }
  drop_agent();
}

void Chat::drop_agent() {
  follower_ = {};  // stops and joins the thread
  user_session_.reset();
  agent_.reset();
}

void Chat::adopt(std::unique_ptr<agent::Agent> agent) {
  drop_agent();
  agent_ = std::move(agent);
  user_session_ = agent_->user_session();
  seq_ = 0;
  EventStream& events = agent_->session().events();
  const auto follow = [&events, wake = wake_](const std::stop_token& done) {
    std::uint64_t seen = 0;
    while (!done.stop_requested()) {
      const auto batch = events.wait_after(seen, done, std::chrono::seconds(60));
      if (batch.events.empty()) continue;
      seen = batch.events.back()->seq;
      wake();
    }
  };
  if (!try_start_thread(follower_, follow))
    view_.show_problem(no_thread_error("so a reply is shown only when it is complete"));
  note_usage();
}

bool Chat::begin_session(const std::string& title) {
  auto begun = setup_.begin(title, responders());
  if (!begun) {
    view_.show_problem(begun.error());
    return false;
  }
  adopt(*std::move(begun));
  return true;
}

std::vector<std::string> Chat::skills() const {
  std::vector<std::string> names;
  for (const skills::Skill& skill : setup_.shelf().set.skills)
    if (skill.user_invocable) names.push_back(skill.name);
  return names;
}

void Chat::say(const std::string& text) {
  if (is_running()) {
    queued_.push_back(text);
    return;
  }
  view_.show_user_text(text);
  const auto task = setup_.task_of(text);
  if (!task) return view_.show_problem(task.error());
  if (!agent_ && !begin_session(text)) return;
  for (const std::string& warning : agent::allow_tools_of_skill(agent_->session(), task->skill, task->tools))
    view_.show_note(warning);
  std::string said;
  for (const std::string& note : std::exchange(notes_, {})) said += concat("(", note, ")\n\n");
  start_turn(said + task->text);
}

std::string Chat::take_queued() {
  std::string all;
  for (const std::string& text : std::exchange(queued_, {})) all += concat(all.empty() ? "" : "\n", text);
  return all;
}

void Chat::resume(const std::string& id, const std::string& text) {
  if (id.empty() && agent_ && text.empty()) {
    if (agent_->can_continue()) return start_turn({});
    return show_sessions();
  }
  if (agent_ && agent_->id() == id) return view_.show_note("This session is already open.");
  auto resumed = setup_.resume(id, responders());
  if (!resumed) return view_.show_problem(resumed.error());
  const auto ended = background_commands();
  adopt(*std::move(resumed));
  if (!ended.empty()) view_.show_note(ended_text(ended));
  show_past();
  if (!text.empty()) return say(text);
  if (agent_->can_continue()) start_turn({});
}

// Recalls the last message and reply of a resumed session.
void Chat::show_past() {
  const auto& items = agent_->transcript().items();
  const auto said = std::find_if(items.rbegin(), items.rend(), [](const agent::Transcript::Item& item) {
    const auto* user = std::get_if<agent::UserEntry>(&item);
    return user != nullptr && !user->from_helve;
  });
  view_.show_note(concat("Session ", agent_->id(), ", ", count_of(items.size(), "step"), " so far."));
  if (said != items.rend()) view_.show_user_text(std::get<agent::UserEntry>(*said).text);
  if (const std::string last = agent_->last_text(); !last.empty()) {
    terminal::MarkdownStream text({.styles = true});
    auto lines = text.feed(last);
    for (terminal::Line& line : text.finish()) lines.push_back(std::move(line));
    view_.show(lines);
  }
}

void Chat::start_turn(std::string text) {
  stop_ = {};
  turn_ended_ = false;
  ending_.reset();
  turn_began_ = ChatView::Clock::now();
  const auto run = [this, text = std::move(text), stop = stop_.get_token()] {
    ending_ = text.empty() ? agent_->continue_turn(stop) : agent_->say(text, stop);
    turn_ended_ = true;
    wake_();
  };
  if (!try_start_thread(turn_, run)) view_.show_problem(no_thread_error("so the message was not sent"));
}

void Chat::interrupt() { stop_.request_stop(); }

void Chat::show_events() {
  if (!agent_) return;
  const EventStream& events = agent_->session().events();
  for (auto batch = events.after(seq_); !batch.events.empty(); batch = events.after(seq_)) {
    // A resumed session does not start at 1; only a later gap is a loss.
    if (batch.missed > 0 && seq_ > 0)
      view_.show_note(concat("(", count_of(batch.missed, "event"), " arrived too fast to be shown.)"));
    for (const auto& event : batch.events) {
      view_.take(*event);
      seq_ = event->seq;
    }
  }
}

void Chat::catch_up() {
  const bool ended = turn_ended_;  // read first: then show_events() sees all events of the turn
  show_events();
  if (ended && is_running()) end_turn();
}

void Chat::end_turn() {
  turn_.join();
  turn_ = {};
  turn_ended_ = false;
  view_.end_turn();
  note_usage();
  const bool interrupted = ending_ && ending_->reason == "cancelled";
  if (interrupted) view_.show_note("Interrupted. Type what to do instead, or /resume to continue.");
  if (interrupted || queued_.empty()) return;
  const std::string next = queued_.front();
  queued_.pop_front();
  say(next);
}

void Chat::note_usage() {
  usage_ = agent_->transcript().usage();
  const agent::Round* last = agent_->transcript().last_round();
  context_tokens_ = last == nullptr ? 0 : last->reply.usage.input_tokens + last->reply.usage.output_tokens;
}

std::string Chat::status() const {
  std::string status = concat(setup_.model().name(), " · ", name_of(setup_.mode()));
  const auto window = setup_.model().context_window();
  if (window && *window > 0)
    status += concat(" · ", context_tokens_ * 100 / *window, "% of ", short_number(*window));
  else if (context_tokens_ > 0)
    status += concat(" · context ", short_number(context_tokens_));
  if (usage_.input_tokens + usage_.output_tokens > 0)
    status +=
        concat(" · ", short_number(usage_.input_tokens), " in, ", short_number(usage_.output_tokens), " out");
  const double cost = model::cost_of(usage_, settings::Groups(setup_.runtime().settings()).model.prices);
  if (cost > 0) {
    const std::int64_t cents = std::llround(cost * 100);
    status += cents == 0 ? " · cost < 0.01"
                         : concat(" · cost ", cents / 100, cents % 100 < 10 ? ".0" : ".", cents % 100);
  }
  return status;
}

std::vector<BackgroundCommand> Chat::background_commands() {
  return user_session_ ? running_commands(setup_.runtime(), user_session_) : std::vector<BackgroundCommand>();
}

Answer Chat::call(std::string tool, JsonObject arguments) {
  return setup_.runtime().call(user_session_, {.tool = std::move(tool), .arguments = std::move(arguments)});
}

}  // namespace helve::chat
