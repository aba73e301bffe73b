#include "process/sessions.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"
#include "process/launch_cgroup.h"

namespace helve::process {
namespace {

// Namespaces and mounts on a busy machine take their time; nobody waits longer than this for a command to
// begin.
constexpr auto kLongestStart = std::chrono::seconds(30);
constexpr std::size_t kIdLetters = 6;

Streams streams_for(const SessionRequest& request) {
  Streams streams;
  if (request.input != SessionRequest::Input::kNothing) streams.input = Streams::Input::kPipe;
  streams.terminal = request.terminal;
  streams.columns = request.columns;
  streams.rows = request.rows;
  return streams;
}

}  // namespace

Expected<std::unique_ptr<Sessions>> Sessions::create(Options options) {
  std::unique_ptr<Sessions> sessions(new Sessions(std::move(options)));
  auto reactor = Reactor::create(sessions->options_.on_end);
  if (!reactor) return fail(reactor.error());
  sessions->reactor_ = std::move(*reactor);
  return sessions;
}

Sessions::~Sessions() { reactor_.reset(); }

Expected<void> Sessions::check_room() const {
  const auto running_now = static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [](const auto& entry) { return entry.second->status().running(); }));
  if (running_now < options_.limits.most_running) return {};
  return fail(ErrorCode::kUnavailable,
              concat("There are ", running_now, " commands running, and no more are allowed at once."),
              "Use process list to see them, and process kill to end those that are not needed.");
}

void Sessions::forget_old() {
  std::size_t finished = 0;
  const auto now = std::chrono::system_clock::now();
  // Newest first, so that the oldest are those beyond the limit.
  for (auto entry = sessions_.end(); entry != sessions_.begin();) {
    --entry;
    const SessionStatus status = entry->second->status();
    if (status.running()) continue;
    ++finished;
    const bool old = status.ended && now - *status.ended > options_.limits.finished_age;
    if (finished > options_.limits.most_finished || old) entry = sessions_.erase(entry);
  }
}

Expected<std::shared_ptr<Session>> Sessions::start(SessionRequest request) {
  if (const milliseconds longest = options_.limits.longest_time; longest > milliseconds(0))
    request.time_limit = std::min(request.time_limit.value_or(longest), longest);
  auto companion = std::exchange(request.companion, {});
  auto log = OutputLog::create(options_.output_directory, request.output);
  if (!log) return fail(log.error());
  auto session = std::make_shared<Session>(random_id("cmd", kIdLetters), std::move(request), std::move(*log));
  {
    const std::lock_guard lock(mutex_);
    forget_old();
    if (auto room = check_room(); !room) return fail(room.error());
    sessions_.emplace(++last_order_, session);
  }
  Launch launch = session->request().launch;
  std::optional<sandbox::Cgroup> cgroup = make_cgroup(launch);
  const sandbox::Plan& plan = session->request().launch.plan;
  if (plan.level != sandbox::Level::kOff && !plan.network)
    launch.plan.network_holder = static_cast<std::uint64_t>(network_.pid());
  auto child = spawn(launch, streams_for(session->request()), pad_);
  if (!child) {
    forget(session->id());
    return fail(child.error());
  }
  const std::uint64_t number = reactor_->next_number();
  {
    const std::lock_guard lock(session->mutex_);
    session->wake_ = [reactor = reactor_.get(), number] { reactor->wake(number); };
  }
  reactor_->add(number, std::make_unique<SessionDriver>(session, std::move(*child), std::move(cgroup),
                                                        std::move(companion), number));

  std::unique_lock lock(session->mutex_);
  const bool begun = session->state_changed_.wait_for(lock, kLongestStart, [&] {
    return session->status_.state != SessionState::kStarting || session->start_error_;
  });
  if (begun && !session->start_error_) return session;
  Error error = session->start_error_.value_or(Error{
      ErrorCode::kTimeout, "The command did not begin in time.", "Try again when the machine is less busy."});
  lock.unlock();
  session->kill(milliseconds(0));
  forget(session->id());
  return fail(std::move(error));
}

Expected<std::shared_ptr<Session>> Sessions::find(const std::string& id) const {
  std::vector<std::string> known;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [order, session] : sessions_) {
      if (session->id() == id) return session;
      known.push_back(session->id());
    }
  }
  const std::vector<std::string> meant = nearest(id, known);
  return fail(ErrorCode::kNotFound, concat("There is no command with the sessionId ", id, "."),
              meant.empty() ? "Use process list to see those that there are."
                            : concat("Did you mean ", meant[0], "?"));
}

std::vector<std::shared_ptr<Session>> Sessions::list() const {
  std::vector<std::shared_ptr<Session>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [order, session] : sessions_) all.push_back(session);
  return all;
}

void Sessions::forget(const std::string& id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second->id() == id; });
}

Expected<void> Sessions::remove(const std::string& id) {
  auto session = find(id);
  if (!session) return fail(session.error());
  (*session)->kill(milliseconds(0));
  (*session)->log().discard();
  forget(id);
  return {};
}

std::size_t Sessions::running() const {
  const auto all = list();
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const auto& session) { return session->status().running(); }));
}

}  // namespace helve::process
