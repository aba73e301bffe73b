#include "cli/agent_terminal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/strings.h"
#include "cli/approval_card.h"
#include "cli/terminal_asker.h"

namespace helve::cli {
namespace {

using terminal::Colour;
using terminal::Key;
using terminal::Line;
using terminal::LiveArea;

constexpr int kFrameMs = 100;  // between two signs of life
constexpr int kEscapeMs = 50;  // what follows an Escape of a sequence comes at once
// Who is typing when a card comes up has not read it, nor has who has just decided about the one before.
constexpr std::chrono::milliseconds kSurprise{1000};
constexpr std::chrono::milliseconds kNextCard{300};

bool can_move() {
  const char* term = ::getenv("TERM");
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

void write_out(std::string_view bytes) {
  // A terminal that went away is noticed by its input.
  [[maybe_unused]] const auto written = write_all(STDOUT_FILENO, bytes);
}

}  // namespace

AgentTerminal::AgentTerminal(AgentSetup& setup, const ResizeSignals& resizes, std::stop_token interrupted)
    : setup_(setup),
      resizes_(resizes),
      interrupted_(std::move(interrupted)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      screen_(write_out, {.colours = setup.shell().terminal().out_colours(), .moves = can_move()},
              terminal::terminal_size(STDOUT_FILENO)),
      view_(screen_),
      history_(concat(setup.runtime().state_directory(), "/agent-history")),
      editor_([this](std::string_view text) { return complete_slash(text, chat_->skills()); }),
      chat_(std::make_unique<AgentChat>(setup, view_, [fd = wake_.get()] { ::eventfd_write(fd, 1); })) {
  editor_.set_history(history_.load());
}

int AgentTerminal::run(const AgentOrder& order) {
  if (screen_.look().moves) {
    auto raw = terminal::RawMode::enter(STDIN_FILENO);
    if (!raw) return setup_.shell().report(raw.error(), kSetup);
    raw_.emplace(*std::move(raw));
  }
  const std::stop_callback wake_at_interrupt(interrupted_, [this] { ::eventfd_write(wake_.get(), 1); });
  greet();
  begin(order);
  draw();
  while (!left_ && !interrupted_.stop_requested())
    if (!turn_once()) break;
  screen_.set_live({});
  const std::string id = chat_->session_id();
  const auto ended = chat_->background_commands();
  chat_.reset();  // ends the turn
  if (!ended.empty() && !setup_.shell().options().quiet)
    screen_.print(Line(ended_text(ended), {Colour::kYellow}));
  if (!id.empty() && !setup_.shell().options().quiet)
    screen_.print(Line(concat("Session ", id, "; go on with helve agent --resume ", id), {Colour::kDim}));
  raw_.reset();
  return interrupted_.stop_requested() ? kInterrupted : kOk;
}

void AgentTerminal::greet() {
  if (setup_.shell().options().quiet) return;
  Line line("Helve", {.bold = true});
  line.add(concat(" in ", setup_.runtime().workspace(), ". /help lists commands, Ctrl-D leaves."),
           {Colour::kDim});
  view_.show(line);
}

void AgentTerminal::begin(const AgentOrder& order) {
  if (order.resume)
    chat_->resume(order.session, order.task);
  else if (!trim(order.task).empty())
    submit(order.task);
}

int AgentTerminal::patience() const {
  if (keys_.is_waiting()) return kEscapeMs;
  return chat_->is_running() && screen_.look().moves ? kFrameMs : -1;
}

bool AgentTerminal::turn_once() {
  std::array<pollfd, 4> ready{{{STDIN_FILENO, POLLIN, 0},
                               {wake_.get(), POLLIN, 0},
                               {resizes_.fd(), POLLIN, 0},
                               {stderr_.fd(), POLLIN, 0}}};
  const int count = ::poll(ready.data(), ready.size(), patience());
  if (count == 0 && keys_.is_waiting()) take_keys(keys_.give_up());
  if (ready[1].revents != 0) {
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
  }
  if (ready[2].revents != 0) resizes_.drain();
  screen_.resize(terminal::terminal_size(STDOUT_FILENO));
  if (ready[3].revents != 0)
    for (const std::string& line : stderr_.take()) view_.show(Line(line, {Colour::kYellow}));
  chat_->catch_up();
  look_for_questions();
  if (ready[0].revents != 0 && !read_input()) return false;
  chat_->catch_up();
  look_for_questions();
  if (chat_->wants_to_leave()) left_ = true;
  if (!left_) draw();
  return true;
}

bool AgentTerminal::read_input() {
  char bytes[4096];
  const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  if (screen_.look().moves) {
    take_keys(keys_.feed(text));
    return true;
  }
  typed_ += text;
  for (std::size_t end = typed_.find('\n'); end != std::string::npos && !left_; end = typed_.find('\n')) {
    const std::string line = typed_.substr(0, end);
    typed_.erase(0, end + 1);
    prompted_ = false;
    take_line(line);
  }
  return true;
}

void AgentTerminal::take_keys(const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    if (left_) return;
    const Clock::time_point now = Clock::now();
    const bool interrupts = key.kind == Key::Kind::kInterrupt || key.kind == Key::Kind::kEscape;
    if (asked_ && now < deaf_until_ && !interrupts) continue;
    if (!asked_) last_typed_ = now;
    press(key);
  }
}

// What an editor would have made of keys.
void AgentTerminal::take_line(const std::string& line) {
  if (!asked_) return submit(line);
  if (asked_->question() != nullptr) return answer_question(line);
  const std::string_view said = trim(line);
  const std::string word = to_lower(said.substr(0, said.find(' ')));
  for (const std::string_view key : {"y", "s", "a"})
    if (word == key || word == (key == "y" ? "yes" : key == "s" ? "session" : "always"))
      return press_card({Key::Kind::kText, std::string(key)});
  const bool no = word == "n" || word == "no";
  const std::string reason(trim(no ? said.substr(word.size()) : said));
  answer({.granted = false, .reason = reason}, concat("no", reason.empty() ? "" : ": ", reason));
}

void AgentTerminal::press(const Key& key) {
  switch (key.kind) {
    case Key::Kind::kRedraw: return screen_.clear();
    case Key::Kind::kSuspend: return suspend();
    case Key::Kind::kExpand:
      return asked_ && asked_->request() ? show_whole_card() : view_.show_last_result();
    default: break;
  }
  if (!asked_) return press_prompt(key);
  if (asked_->question() != nullptr || giving_reason_) return press_question(key);
  press_card(key);
}

void AgentTerminal::press_prompt(const Key& key) {
  using Outcome = terminal::LineEditor::Outcome;
  if (chat_->is_running() &&
      (key.kind == Key::Kind::kEscape || (key.kind == Key::Kind::kInterrupt && editor_.text().empty())))
    return interrupt();
  const Outcome outcome = editor_.press(key);
  if (outcome != Outcome::kInterrupt && outcome != Outcome::kLeave) leave_next_ = false;
  switch (outcome) {
    case Outcome::kSubmitted: return submit(editor_.take());
    case Outcome::kInterrupt:
      if (leave_next_) return leave();
      leave_next_ = true;
      if (!warn_of_commands()) view_.show_note("Ctrl-C again leaves.");
      return;
    case Outcome::kLeave: return leave();
    default: return;
  }
}

void AgentTerminal::leave() {
  if (chat_->is_running()) return view_.show_note("The model is at work. Interrupt it with Esc first.");
  if (!std::exchange(leave_next_, true) && warn_of_commands()) return;
  left_ = true;
}

bool AgentTerminal::warn_of_commands() {
  const auto commands = chat_->background_commands();
  if (commands.empty()) return false;
  view_.show_note(concat(how_many(commands), commands.size() == 1 ? " still runs" : " still run",
                         " and would end with Helve. /ps lists them; the same key again leaves."));
  return true;
}

void AgentTerminal::submit(const std::string& text) {
  if (trim(text).empty()) return;
  editor_.remember(text);
  // Without a history the next run is a little less comfortable, and that is all.
  [[maybe_unused]] const auto kept = history_.add(text);
  if (const auto command = parse_slash(text, chat_->skills())) {
    view_.show_said(text);
    return chat_->run(*command);
  }
  chat_->say(text);
}

void AgentTerminal::interrupt() {
  chat_->interrupt();
  if (const std::string unsaid = chat_->take_queued(); !unsaid.empty() && editor_.text().empty())
    editor_.set_text(unsaid);
}

void AgentTerminal::suspend() {
  if (!raw_) return;
  screen_.set_live({});
  raw_.reset();
  ::kill(0, SIGTSTP);  // all of the job, as the terminal itself would
  if (auto raw = terminal::RawMode::enter(STDIN_FILENO)) raw_.emplace(*std::move(raw));
  screen_.resize(terminal::terminal_size(STDOUT_FILENO));
}

void AgentTerminal::look_for_questions() {
  const auto now = chat_->people().current();
  if (now == asked_) return;
  asked_ = now;
  giving_reason_ = false;
  prompted_ = false;
  static_cast<void>(answer_editor_.take());
  if (!asked_) return;
  const Clock::time_point shown = Clock::now();
  if (!editor_.text().empty() && shown - last_typed_ < kSurprise) deaf_until_ = shown + kSurprise;
  if (const PermissionRequest* request = asked_->request()) {
    view_.show_card(approval_card(*request));
    if (!request->diff.empty()) view_.note_shown_change(request->call_id);
  } else {
    // A stray letter is no answer yet.
    if (editor_.text().empty()) deaf_until_ = {};
    view_.show_card(question_card(*asked_->question()));
  }
}

void AgentTerminal::show_whole_card() {
  constexpr std::size_t kWhole = 5'000;
  view_.show_card(approval_card(*asked_->request(), kWhole));
}

void AgentTerminal::answer(Approval approval, std::string_view words) {
  view_.show_decision(Line(concat("→ ", words), {approval.granted ? Colour::kGreen : Colour::kRed}));
  chat_->people().answer(std::exchange(asked_, nullptr), std::move(approval));
  deaf_until_ = Clock::now() + kNextCard;
  giving_reason_ = false;
  prompted_ = false;
}

void AgentTerminal::press_card(const Key& key) {
  if (key.kind == Key::Kind::kEscape || key.kind == Key::Kind::kInterrupt) return interrupt();
  if (key.kind != Key::Kind::kText) return;
  const std::vector<std::string>& rules = asked_->request()->rules;
  const std::string pressed = to_lower(key.text);
  if (pressed == "y") return answer({.granted = true}, "yes");
  if (pressed == "s")
    return answer({.granted = true, .scope = ApprovalScope::kSession}, "yes, for this session");
  if (pressed == "a" && !rules.empty())
    return answer({.granted = true, .scope = ApprovalScope::kAlways}, concat("always: ", join(rules, ", ")));
  if (pressed == "n") giving_reason_ = true;
}

// A reason or an answer is being typed.
void AgentTerminal::press_question(const Key& key) {
  using Outcome = terminal::LineEditor::Outcome;
  if (key.kind == Key::Kind::kEscape) {
    if (giving_reason_) {
      giving_reason_ = false;  // back to the choice
      static_cast<void>(answer_editor_.take());
      return;
    }
    view_.show_decision(Line("→ no answer", {Colour::kDim}));
    return chat_->people().answer(std::exchange(asked_, nullptr), Reply{.kind = Reply::Kind::kDismissed});
  }
  const Outcome outcome = answer_editor_.press(key);
  if (outcome == Outcome::kInterrupt) return interrupt();
  if (outcome != Outcome::kSubmitted) return;
  const std::string line = answer_editor_.take();
  if (!giving_reason_) return answer_question(line);
  const std::string reason(trim(line));
  answer({.granted = false, .reason = reason}, concat("no", reason.empty() ? "" : ": ", reason));
}

void AgentTerminal::answer_question(std::string_view line) {
  auto reply = reply_in(line, *asked_->question());
  if (!reply) return view_.show_problem(reply.error());
  view_.show_decision(Line(concat("→ ", join(reply->values, ", ")), {Colour::kGreen}));
  chat_->people().answer(std::exchange(asked_, nullptr), *std::move(reply));
}

Line AgentTerminal::prompt_line() const {
  if (giving_reason_) return Line("Why not? ", {Colour::kYellow});
  return Line(asked_ ? "? " : "> ", {Colour::kCyan});
}

void AgentTerminal::draw() {
  if (!screen_.look().moves) return draw_prompt();
  const Clock::time_point now = Clock::now();
  const std::size_t columns = screen_.columns();
  const std::size_t height = screen_.size().rows;
  LiveArea area;
  const bool chooses = asked_ && asked_->request() && !giving_reason_;
  const terminal::LineEditor& editor = asked_ ? answer_editor_ : editor_;
  const auto view = editor.view(prompt_line(), columns, std::max<std::size_t>(height / 2, 1));
  const std::size_t below = (chooses ? 2 : view.rows.size()) + 2 + chat_->queued().size();
  area.rows = view_.rows(now, height > below + 1 ? height - below - 1 : 1);
  if (chat_->is_running() && !asked_) {
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(now - chat_->turn_began()).count();
    Line line(concat(AgentView::spinner(now), " "), {Colour::kCyan});
    line.add(chat_->is_interrupting() ? std::string("Interrupting…")
                                      : concat("Working, ", time, " s. Esc interrupts."),
             {Colour::kDim});
    if (!area.rows.empty()) area.rows.emplace_back();
    area.rows.push_back(std::move(line));
  }
  for (const std::string& queued : chat_->queued())
    area.rows.push_back(cut_line(Line(concat("Next: ", queued), {Colour::kDim}), columns));
  if (!chat_->is_running() || (asked_ && !chooses)) area.rows.emplace_back();
  area.cursor_row = area.rows.size();
  if (chooses) {
    for (Line& row : wrap_line(approval_choices(*asked_->request()), columns))
      area.rows.push_back(std::move(row));
    area.cursor_row = area.rows.size() - 1;
    area.cursor_column = area.rows.back().width();
  } else {
    area.cursor_row += view.cursor_row;
    area.cursor_column = view.cursor_column;
    area.rows.insert(area.rows.end(), view.rows.begin(), view.rows.end());
  }
  area.rows.push_back(cut_line(Line(chat_->status(), {Colour::kDim}), columns));
  screen_.set_live(std::move(area));
}

void AgentTerminal::draw_prompt() {
  if (prompted_ || (chat_->is_running() && !asked_)) return;
  prompted_ = true;
  std::string prompt = "> ";
  if (asked_ && asked_->request())
    prompt = concat("Allow? y(es), s(ession), ", asked_->request()->rules.empty() ? "" : "a(lways), ",
                    "or n(o) and why: ");
  else if (asked_)
    prompt = "Answer: ";
  write_out(prompt);
}

}  // namespace helve::cli
