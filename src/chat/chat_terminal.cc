#include "chat/chat_terminal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/strings.h"
#include "chat/approval_card.h"
#include "chat/tty_questions.h"

namespace helve::chat {
namespace {

using terminal::Colour;
using terminal::Key;
using terminal::Line;
using terminal::LiveArea;

constexpr int kFrameMs = 100;  // between two frames of the spinner
constexpr int kEscapeMs = 50;  // after this time, Escape is the key and not the start of a sequence
// Keys are ignored for this long when a card interrupts typing or follows another card: the user cannot have
// read it yet.
constexpr std::chrono::milliseconds kAfterTyping{1000};
constexpr std::chrono::milliseconds kAfterCard{300};

bool can_move() {
  const char* term = ::getenv("TERM");
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

void write_out(std::string_view bytes) {
  // If the terminal has gone, read_input() notices.
  [[maybe_unused]] const auto written = write_all(STDOUT_FILENO, bytes);
}

}  // namespace

ChatTerminal::ChatTerminal(AgentSetup& setup, const app::ResizeSignals& resizes, std::stop_token interrupted)
    : setup_(setup),
      resizes_(resizes),
      interrupted_(std::move(interrupted)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      screen_(write_out, {.colours = setup.shell().terminal().out_colours(), .moves = can_move()},
              terminal::terminal_size(STDOUT_FILENO)),
      view_(screen_),
      history_(concat(setup.runtime().state_directory(), "/agent-history")),
      editor_([this](std::string_view text) { return complete_slash(text, chat_->skills()); }),
      chat_(std::make_unique<Chat>(setup, view_, [fd = wake_.get()] { ::eventfd_write(fd, 1); })) {
  editor_.set_history(history_.load());
}

int ChatTerminal::run(const AgentOptions& options) {
  if (screen_.look().moves) {
    auto raw = terminal::RawMode::enter(STDIN_FILENO);
    if (!raw) return setup_.shell().report(raw.error(), app::kSetup);
    raw_.emplace(*std::move(raw));
  }
  const std::stop_callback wake_at_interrupt(interrupted_, [this] { ::eventfd_write(wake_.get(), 1); });
  greet();
  begin(options);
  draw();
  while (!done_ && !interrupted_.stop_requested())
    if (!wait_once()) break;
  screen_.set_live({});
  const std::string id = chat_->session_id();
  const auto ended = chat_->background_commands();
  chat_.reset();  // interrupts the turn
  if (!ended.empty() && !setup_.shell().options().quiet)
    screen_.print(terminal::Line(ended_text(ended), {terminal::Colour::kYellow}));
  if (!id.empty() && !setup_.shell().options().quiet)
    screen_.print(terminal::Line(concat("Session ", id, "; continue with helve agent --resume ", id),
                                 {terminal::Colour::kDim}));
  raw_.reset();
  return interrupted_.stop_requested() ? app::kInterrupted : app::kOk;
}

void ChatTerminal::greet() {
  if (setup_.shell().options().quiet) return;
  terminal::Line line("Helve", {.bold = true});
  line.add(concat(" in ", setup_.runtime().workspace(), ". /help lists commands, Ctrl-D quits."),
           {terminal::Colour::kDim});
  view_.show(line);
}

void ChatTerminal::begin(const AgentOptions& options) {
  if (options.resume)
    chat_->resume(options.session, options.task);
  else if (!trim(options.task).empty())
    submit(options.task);
}

int ChatTerminal::poll_timeout() const {
  if (keys_.is_waiting()) return kEscapeMs;
  return chat_->is_running() && screen_.look().moves ? kFrameMs : -1;
}

bool ChatTerminal::wait_once() {
  std::array<pollfd, 4> ready{{{STDIN_FILENO, POLLIN, 0},
                               {wake_.get(), POLLIN, 0},
                               {resizes_.fd(), POLLIN, 0},
                               {stderr_.fd(), POLLIN, 0}}};
  const int count = ::poll(ready.data(), ready.size(), poll_timeout());
  if (count == 0 && keys_.is_waiting()) take_keys(keys_.flush());
  if (ready[1].revents != 0) {
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
  }
  if (ready[2].revents != 0) resizes_.drain();
  screen_.resize(terminal::terminal_size(STDOUT_FILENO));
  if (ready[3].revents != 0)
    for (const std::string& line : stderr_.take())
      view_.show(terminal::Line(line, {terminal::Colour::kYellow}));
  chat_->catch_up();
  update_question();
  if (ready[0].revents != 0 && !read_input()) return false;
  chat_->catch_up();
  update_question();
  if (chat_->wants_to_quit()) done_ = true;
  if (!done_) draw();
  return true;
}

bool ChatTerminal::read_input() {
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
  for (std::size_t end = typed_.find('\n'); end != std::string::npos && !done_; end = typed_.find('\n')) {
    const std::string line = typed_.substr(0, end);
    typed_.erase(0, end + 1);
    prompted_ = false;
    take_line(line);
  }
  return true;
}

void ChatTerminal::take_keys(const std::vector<terminal::Key>& keys) {
  for (const terminal::Key& key : keys) {
    if (done_) return;
    const Clock::time_point now = Clock::now();
    const bool interrupts =
        key.kind == terminal::Key::Kind::kInterrupt || key.kind == terminal::Key::Kind::kEscape;
    if (open_ && now < ignore_keys_until_ && !interrupts) continue;
    if (!open_) last_typed_ = now;
    press(key);
  }
}

// Line mode: handles a whole line the way the editor handles keys.
void ChatTerminal::take_line(const std::string& line) {
  if (!open_) return submit(line);
  if (open_->question() != nullptr) return answer_question(line);
  const std::string_view said = trim(line);
  const std::string word = to_lower(said.substr(0, said.find(' ')));
  for (const std::string_view key : {"y", "s", "a"})
    if (word == key || word == (key == "y" ? "yes" : key == "s" ? "session" : "always"))
      return press_card({terminal::Key::Kind::kText, std::string(key)});
  const bool no = word == "n" || word == "no";
  const std::string reason(trim(no ? said.substr(word.size()) : said));
  answer({.granted = false, .reason = reason}, concat("no", reason.empty() ? "" : ": ", reason));
}

void ChatTerminal::press(const terminal::Key& key) {
  switch (key.kind) {
    case terminal::Key::Kind::kRedraw: return screen_.clear();
    case terminal::Key::Kind::kSuspend: return suspend();
    case terminal::Key::Kind::kExpand:
      return open_ && open_->request() ? show_whole_card() : view_.show_last_result();
    default: break;
  }
  if (!open_) return press_prompt(key);
  if (open_->question() != nullptr || giving_reason_) return press_question(key);
  press_card(key);
}

void ChatTerminal::press_prompt(const terminal::Key& key) {
  using Outcome = terminal::LineEditor::Outcome;
  if (chat_->is_running() && (key.kind == terminal::Key::Kind::kEscape ||
                              (key.kind == terminal::Key::Kind::kInterrupt && editor_.text().empty())))
    return interrupt();
  const Outcome outcome = editor_.press(key);
  if (outcome != Outcome::kInterrupt && outcome != Outcome::kLeave) quit_next_ = false;
  switch (outcome) {
    case Outcome::kSubmitted: return submit(editor_.take());
    case Outcome::kInterrupt:
      if (quit_next_) return quit();
      quit_next_ = true;
      if (!warn_about_commands()) view_.show_note("Press Ctrl-C again to quit.");
      return;
    case Outcome::kLeave: return quit();
    default: return;
  }
}

void ChatTerminal::quit() {
  if (chat_->is_running()) return view_.show_note("The model is working. Press Esc to interrupt it first.");
  if (!std::exchange(quit_next_, true) && warn_about_commands()) return;
  done_ = true;
}

bool ChatTerminal::warn_about_commands() {
  const auto commands = chat_->background_commands();
  if (commands.empty()) return false;
  view_.show_note(concat(count_text(commands), commands.size() == 1 ? " is" : " are",
                         " still running and will be ended. Press the key again to quit; /ps lists them."));
  return true;
}

void ChatTerminal::submit(const std::string& text) {
  if (trim(text).empty()) return;
  editor_.remember(text);
  // A history that cannot be saved is not worth an error.
  [[maybe_unused]] const auto kept = history_.add(text);
  if (const auto command = parse_slash(text, chat_->skills())) {
    view_.show_user_text(text);
    return chat_->run(*command);
  }
  chat_->say(text);
}

void ChatTerminal::interrupt() {
  chat_->interrupt();
  if (const std::string queued = chat_->take_queued(); !queued.empty() && editor_.text().empty())
    editor_.set_text(queued);
}

void ChatTerminal::suspend() {
  if (!raw_) return;
  screen_.set_live({});
  raw_.reset();
  ::kill(0, SIGTSTP);  // the whole process group, as the terminal would
  if (auto raw = terminal::RawMode::enter(STDIN_FILENO)) raw_.emplace(*std::move(raw));
  screen_.resize(terminal::terminal_size(STDOUT_FILENO));
}

void ChatTerminal::update_question() {
  const auto now = chat_->questions().current();
  if (now == open_) return;
  open_ = now;
  giving_reason_ = false;
  prompted_ = false;
  static_cast<void>(answer_editor_.take());
  if (!open_) return;
  const Clock::time_point shown = Clock::now();
  if (!editor_.text().empty() && shown - last_typed_ < kAfterTyping)
    ignore_keys_until_ = shown + kAfterTyping;
  if (const PermissionRequest* request = open_->request()) {
    view_.show_card(approval_card(*request));
    if (!request->diff.empty()) view_.note_shown_change(request->call_id);
  } else {
    // A question needs Enter, so a stray key does no harm.
    if (editor_.text().empty()) ignore_keys_until_ = {};
    view_.show_card(question_card(*open_->question()));
  }
}

void ChatTerminal::show_whole_card() {
  constexpr std::size_t kWhole = 5'000;
  view_.show_card(approval_card(*open_->request(), kWhole));
}

void ChatTerminal::answer(Approval approval, std::string_view words) {
  view_.show_decision(terminal::Line(concat("→ ", words),
                                     {approval.granted ? terminal::Colour::kGreen : terminal::Colour::kRed}));
  chat_->questions().answer(std::exchange(open_, nullptr), std::move(approval));
  ignore_keys_until_ = Clock::now() + kAfterCard;
  giving_reason_ = false;
  prompted_ = false;
}

void ChatTerminal::press_card(const terminal::Key& key) {
  if (key.kind == terminal::Key::Kind::kEscape || key.kind == terminal::Key::Kind::kInterrupt)
    return interrupt();
  if (key.kind != terminal::Key::Kind::kText) return;
  const std::vector<std::string>& rules = open_->request()->rules;
  const std::string pressed = to_lower(key.text);
  if (pressed == "y") return answer({.granted = true}, "yes");
  if (pressed == "s")
    return answer({.granted = true, .scope = ApprovalScope::kSession}, "yes, for this session");
  if (pressed == "a" && !rules.empty())
    return answer({.granted = true, .scope = ApprovalScope::kAlways}, concat("always: ", join(rules, ", ")));
  if (pressed == "n") giving_reason_ = true;
}

// Keys while a reason or an answer is typed.
void ChatTerminal::press_question(const terminal::Key& key) {
  using Outcome = terminal::LineEditor::Outcome;
  if (key.kind == terminal::Key::Kind::kEscape) {
    if (giving_reason_) {
      giving_reason_ = false;  // back to the choice
      static_cast<void>(answer_editor_.take());
      return;
    }
    view_.show_decision(terminal::Line("→ no answer", {terminal::Colour::kDim}));
    return chat_->questions().answer(std::exchange(open_, nullptr), Reply{.kind = Reply::Kind::kDismissed});
  }
  const Outcome outcome = answer_editor_.press(key);
  if (outcome == Outcome::kInterrupt) return interrupt();
  if (outcome != Outcome::kSubmitted) return;
  const std::string line = answer_editor_.take();
  if (!giving_reason_) return answer_question(line);
  const std::string reason(trim(line));
  answer({.granted = false, .reason = reason}, concat("no", reason.empty() ? "" : ": ", reason));
}

void ChatTerminal::answer_question(std::string_view line) {
  auto reply = parse_reply(line, *open_->question());
  if (!reply) return view_.show_problem(reply.error());
  view_.show_decision(terminal::Line(concat("→ ", join(reply->values, ", ")), {terminal::Colour::kGreen}));
  chat_->questions().answer(std::exchange(open_, nullptr), *std::move(reply));
}

terminal::Line ChatTerminal::prompt_line() const {
  if (giving_reason_) return terminal::Line("Why not? ", {terminal::Colour::kYellow});
  return terminal::Line(open_ ? "? " : "> ", {terminal::Colour::kCyan});
}

void ChatTerminal::draw() {
  if (!screen_.look().moves) return draw_prompt();
  const Clock::time_point now = Clock::now();
  const std::size_t columns = screen_.columns();
  const std::size_t height = screen_.size().rows;
  terminal::LiveArea area;
  const bool chooses = open_ && open_->request() && !giving_reason_;
  const terminal::LineEditor& editor = open_ ? answer_editor_ : editor_;
  const auto view = editor.view(prompt_line(), columns, std::max<std::size_t>(height / 2, 1));
  const std::size_t below = (chooses ? 2 : view.rows.size()) + 2 + chat_->queued().size();
  area.rows = view_.rows(now, height > below + 1 ? height - below - 1 : 1);
  if (chat_->is_running() && !open_) {
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(now - chat_->turn_began()).count();
    terminal::Line line(concat(ChatView::spinner(now), " "), {terminal::Colour::kCyan});
    line.add(chat_->is_interrupting() ? std::string("Interrupting…")
                                      : concat("Working, ", time, " s. Esc interrupts."),
             {terminal::Colour::kDim});
    if (!area.rows.empty()) area.rows.emplace_back();
    area.rows.push_back(std::move(line));
  }
  for (const std::string& queued : chat_->queued())
    area.rows.push_back(
        terminal::cut_line(terminal::Line(concat("Next: ", queued), {terminal::Colour::kDim}), columns));
  if (!chat_->is_running() || (open_ && !chooses)) area.rows.emplace_back();
  area.cursor_row = area.rows.size();
  if (chooses) {
    for (terminal::Line& row : terminal::wrap_line(approval_choices(*open_->request()), columns))
      area.rows.push_back(std::move(row));
    area.cursor_row = area.rows.size() - 1;
    area.cursor_column = area.rows.back().width();
  } else {
    area.cursor_row += view.cursor_row;
    area.cursor_column = view.cursor_column;
    area.rows.insert(area.rows.end(), view.rows.begin(), view.rows.end());
  }
  area.rows.push_back(terminal::cut_line(terminal::Line(chat_->status(), {terminal::Colour::kDim}), columns));
  screen_.set_live(std::move(area));
}

void ChatTerminal::draw_prompt() {
  if (prompted_ || (chat_->is_running() && !open_)) return;
  prompted_ = true;
  std::string prompt = "> ";
  if (open_ && open_->request())
    prompt = concat("Allow? y(es), s(ession), ", open_->request()->rules.empty() ? "" : "a(lways), ",
                    "or n(o) and why: ");
  else if (open_)
    prompt = "Answer: ";
  write_out(prompt);
}

}  // namespace helve::chat
