// helve approvals: lists, shows and answers the questions of all running Helve processes of the user.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "app/shared_approvals.h"
#include "app/signals.h"
#include "base/clock.h"
#include "base/either_stop.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "chat/tty_questions.h"
#include "cli/command.h"
#include "core/approval.h"
#include "inbox/other_inboxes.h"
#include "inbox/question_feed.h"

namespace helve::cli {
namespace {

enum class ApprovalsAction { kList, kWatch, kAnswer };
constexpr auto enum_names(ApprovalsAction) {
  return std::to_array<std::string_view>({"list", "watch", "answer"});
}

constexpr std::string_view kBy = "helve approvals";

std::string workspace_of(const inbox::AskingProcess& process, const inbox::WaitingQuestion& question) {
  return process.asking.workspace.empty() ? question.request.workspace : process.asking.workspace;
}

std::string origin_of(const inbox::AskingProcess& process, const inbox::WaitingQuestion& question) {
  return concat(process.asking.program, " (process ", process.pid, ") in ", workspace_of(process, question));
}

Json question_json(const inbox::AskingProcess& process, const inbox::WaitingQuestion& question) {
  const core::ApprovalText text = core::approval_text(question.request);
  JsonObject json{{"id", question.id},
                  {"since", utc_timestamp(question.since)},
                  {"program", process.asking.program},
                  {"pid", process.pid},
                  {"workspace", workspace_of(process, question)},
                  {"hash", question.hash}};
  Json request = core::permission_request_json(question.request);
  request["params"] = question.request.arguments;
  json.append("question", std::move(request));
  JsonArray choices{"once", "session"};
  if (!question.request.rules.empty()) choices.emplace_back("always");
  choices.emplace_back("refuse");
  json.append("choices", std::move(choices));
  return json;
}

// Asks at the terminal about everything that waits, the oldest question first.
class TerminalWatch {
 public:
  // Both must outlive it.
  TerminalWatch(const app::Invocation& shell, const inbox::OtherInboxes& inboxes)
      : shell_(shell), inboxes_(inboxes), thread_([this](const std::stop_token& end) { run(end); }) {}

  void ask(const inbox::AskingProcess& process, const inbox::WaitingQuestion& question) {
    const std::lock_guard lock(mutex_);
    open_.push_back(std::make_shared<Open>(process, question));
    std::ranges::stable_sort(open_, {}, [](const auto& open) { return open->question.since; });
    changed_.notify_all();
  }
  void withdraw(const std::string& id) {
    const std::lock_guard lock(mutex_);
    if (asked_ != nullptr && asked_->question.id == id) asked_->withdrawn.request_stop();
    std::erase_if(open_, [&](const auto& open) { return open->question.id == id; });
  }

 private:
  struct Open {
    inbox::AskingProcess process;
    inbox::WaitingQuestion question;
    std::stop_source withdrawn = {};
  };

  void run(const std::stop_token& end) {
    for (;;) {
      std::shared_ptr<Open> open;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, end, [this] { return !open_.empty(); })) return;
        open = open_.front();
        open_.erase(open_.begin());
        asked_ = open;
      }
      ask_and_answer(*open, end);
      const std::lock_guard lock(mutex_);
      asked_ = nullptr;
    }
  }

  void ask_and_answer(const Open& open, const std::stop_token& end) {
    PermissionRequest request = open.question.request;
    request.notes.insert(request.notes.begin(), concat("asked by ", origin_of(open.process, open.question)));
    const EitherStop stop(open.withdrawn.get_token(), end);
    Approval approval = terminal_.ask(request, stop.token());
    if (end.stop_requested()) return;
    if (open.withdrawn.stop_requested()) return shell_.terminal().err("\nIt was settled elsewhere.\n");
    if (!approval.asked) return;
    approval.by = kBy;
    // The question counts as settled from now on, which must not cancel the answer.
    if (const auto answered = inboxes_.answer(open.process.socket, open.question, approval, {}); !answered)
      shell_.terminal().err(concat(terminal::printable_line(answered.error().message), "\n"));
  }

  const app::Invocation& shell_;
  const inbox::OtherInboxes& inboxes_;
  chat::TtyApprover terminal_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<Open>> open_;
  std::shared_ptr<Open> asked_;  // at the terminal now
  std::jthread thread_;
};

struct ApprovalsCommand {
  static constexpr std::string_view kName = "approvals";
  static constexpr std::string_view kSummary = "List, watch and answer the questions of running agents";
  static constexpr std::string_view kDetails =
      "helve approvals                      what waits, over all Helve processes of yours\n"
      "helve approvals watch                ask here, as questions come up; --json: print them as events\n"
      "helve approvals answer ID CHOICE     once, session, always or refuse; words after it are the reason";
  static constexpr auto kPositionals = std::to_array<std::string_view>({"action", "id", "choice", "reason"});

  struct Options {
    ApprovalsAction action = ApprovalsAction::kList;
    std::string id;
    std::optional<inbox::ApprovalChoice> choice;
    std::vector<std::string> reason;

    void describe(ParamSpec& p) {
      p.optional("action", action, "What to do.");
      p.optional("id", id, "answer: the question, or the beginning of its id.");
      p.optional("choice", choice, "answer: allow once, for this session, always as a rule, or refuse.");
      p.optional("reason", reason, "answer: for the model, with refuse.");
    }
  };

  int run(const app::Invocation& shell, const Options& options) const {
    const auto directory = app::approvals_directory();
    if (!directory) return shell.report(directory.error(), app::kSetup);
    const app::InterruptWatcher interrupts;
    const inbox::OtherInboxes inboxes(*directory);
    switch (options.action) {
      case ApprovalsAction::kList: return list(shell, inboxes.list(interrupts.token()));
      case ApprovalsAction::kWatch: return watch(shell, inboxes, interrupts.token());
      case ApprovalsAction::kAnswer: break;
    }
    if (auto answered = answer(inboxes, options, interrupts.token()); !answered)
      return shell.report(answered.error(), answered.error().code == ErrorCode::kInvalidArgument
                                                ? app::kUsage
                                                : app::kToolError);
    return app::kOk;
  }

 private:
  static int list(const app::Invocation& shell, const std::vector<inbox::AskingProcess>& processes) {
    JsonArray all;
    std::string out;
    for (const inbox::AskingProcess& process : processes)
      for (const inbox::WaitingQuestion& question : process.questions) {
        all.push_back(question_json(process, question));
        const auto age = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() -
                                                                          question.since);
        out += concat(shell.terminal().paint(terminal::Colour::kBold, terminal::printable_line(question.id)),
                      "  ", chat::approval_lines(question.request),
                      "  asked by: ", terminal::printable_line(origin_of(process, question)), ", ",
                      age.count(), " s ago\n\n");
      }
    if (shell.options().json) {
      shell.print_json(JsonObject{{"questions", std::move(all)}});
      return app::kOk;
    }
    shell.terminal().out(
        out.empty() ? "Nothing waits for an answer.\n"
                    : concat(out, "Answer with helve approvals answer ID once|session|always|refuse.\n"));
    return app::kOk;
  }

  static int watch(const app::Invocation& shell, const inbox::OtherInboxes& inboxes,
                   const std::stop_token& interrupted) {
    const bool has_terminal = static_cast<bool>(UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)));
    if (!shell.options().json && !has_terminal)
      return shell.report({ErrorCode::kUnavailable, "There is no terminal to ask on.",
                           "Use helve approvals watch --json, and answer with helve approvals answer."},
                          app::kSetup);
    const auto mark = inbox::WatchMark::set(inboxes.directory());
    if (!mark) return shell.report(mark.error(), app::kSetup);
    std::mutex printing;
    TerminalWatch terminal(shell, inboxes);
    inbox::QuestionFeed::Handlers handlers;
    if (shell.options().json) {
      handlers.on_asked = [&](const inbox::AskingProcess& process, const inbox::WaitingQuestion& question) {
        Json event = question_json(process, question);
        event["event"] = "asked";
        const std::lock_guard lock(printing);
        shell.terminal().out_json(to_text(event));
      };
      handlers.on_settled = [&](const std::string& id) {
        const std::lock_guard lock(printing);
        shell.terminal().out_json(to_text(JsonObject{{"event", "settled"}, {"id", id}}));
      };
    } else {
      if (!shell.options().quiet)
        shell.terminal().err("Questions of running agents appear here. Ctrl-C ends.\n");
      handlers.on_asked = [&](const inbox::AskingProcess& process, const inbox::WaitingQuestion& question) {
        terminal.ask(process, question);
      };
      handlers.on_settled = [&](const std::string& id) { terminal.withdraw(id); };
    }
    const inbox::QuestionFeed feed(inboxes, std::move(handlers));
    std::mutex waiting;
    std::condition_variable_any over;
    std::unique_lock lock(waiting);
    over.wait(lock, interrupted, [] { return false; });
    return app::kOk;
  }

  static Expected<void> answer(const inbox::OtherInboxes& inboxes, const Options& options,
                               const std::stop_token& stop) {
    if (options.id.empty() || !options.choice)
      return fail(ErrorCode::kInvalidArgument, "helve approvals answer needs an id and a choice.",
                  "For example: helve approvals answer q_4f2k9c1d once. List ids with helve approvals.");
    const auto processes = inboxes.list(stop);
    std::vector<std::pair<const inbox::AskingProcess*, const inbox::WaitingQuestion*>> found;
    for (const inbox::AskingProcess& process : processes)
      for (const inbox::WaitingQuestion& question : process.questions)
        if (question.id.starts_with(options.id)) found.emplace_back(&process, &question);
    if (found.empty())
      return fail(ErrorCode::kNotFound, concat("No question waits under the id ", options.id, "."),
                  "It may have been answered. List what waits with helve approvals.");
    if (found.size() > 1)
      return fail(ErrorCode::kInvalidArgument,
                  concat(found.size(), " questions have an id that begins with ", options.id, "."),
                  "Use the whole id.");
    const auto& [process, question] = found.front();
    if (*options.choice == inbox::ApprovalChoice::kAlways && question->request.rules.empty())
      return fail(ErrorCode::kInvalidArgument, "No rule would allow this call always.",
                  "Use once or session.");
    return inboxes.answer(process->socket, *question,
                          inbox::approval_of(*options.choice, join(options.reason, " "), std::string(kBy)),
                          stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_approvals_command() {
  return std::make_unique<TypedCommand<ApprovalsCommand>>();
}

}  // namespace helve::cli
