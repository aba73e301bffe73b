#include "process/jobs.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"
#include "process/launch_cgroup.h"
#include "process/launcher_protocol.h"

namespace helve::process {
namespace {

constexpr int kHolderStartTimeout = 10'000;  // milliseconds

bool becomes_readable(int fd, int milliseconds) {
  pollfd ready{fd, POLLIN, 0};
  int found = 0;
  do {
    found = ::poll(&ready, 1, milliseconds);
  } while (found < 0 && errno == EINTR);
  return found > 0;
}

// Creating namespaces and mounts can be slow on a busy machine.
constexpr auto kStartTimeout = std::chrono::seconds(30);
constexpr std::size_t kIdLetters = 6;

Streams streams_for(const JobRequest& request) {
  Streams streams;
  if (request.input != JobRequest::Input::kNothing) streams.input = Streams::Input::kPipe;
  streams.terminal = request.terminal;
  streams.columns = request.columns;
  streams.rows = request.rows;
  return streams;
}

}  // namespace

NetworkHolder::~NetworkHolder() {
  if (child_) end(*child_);
}

void NetworkHolder::end(Child& child) {
  child.control.reset();  // the holder exits when the socket closes
  while (::waitpid(child.launcher, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<Child> NetworkHolder::start() {
  Launch launch;
  launch.holds_network = true;
  auto child = spawn(launch, {}, fork_server_);
  if (!child) return {};
  LauncherMessage message;
  const bool received = becomes_readable(child->control.get(), kHolderStartTimeout) &&
                        receive_message(child->control.get(), message) == Received::kPacket;
  if (received && message.kind == LauncherMessage::Kind::kReady) return std::move(*child);
  refused_ = received;  // otherwise it did not answer, and the next command tries again
  end(*child);
  return {};
}

pid_t NetworkHolder::pid() {
  const std::lock_guard lock(mutex_);
  // The process may have been killed. Its pid is not reused before it is waited for.
  if (child_ && becomes_readable(child_->pidfd.get(), 0)) {
    end(*child_);
    child_.reset();
  }
  if (!child_ && !refused_) child_ = start();
  return child_ ? child_->launcher : 0;
}

Expected<std::unique_ptr<Jobs>> Jobs::create(Options options) {
  std::unique_ptr<Jobs> jobs(new Jobs(std::move(options)));
  auto reactor = Reactor::create(jobs->options_.on_end);
  if (!reactor) return fail(reactor.error());
  jobs->reactor_ = std::move(*reactor);
  return jobs;
}

Jobs::~Jobs() { reactor_.reset(); }

Expected<void> Jobs::check_limit() const {
  const auto running_now = static_cast<std::size_t>(
      std::ranges::count_if(jobs_, [](const auto& entry) { return entry.second->status().running(); }));
  if (running_now < options_.limits.most_running) return {};
  return fail(ErrorCode::kUnavailable,
              concat(running_now, " commands are running, and no more are allowed at once."),
              "Use process list to see them and process kill to end some.");
}

void Jobs::drop_old() {
  std::size_t finished = 0;
  const auto now = std::chrono::system_clock::now();
  // Newest first, so that the oldest exceed the limit.
  for (auto entry = jobs_.end(); entry != jobs_.begin();) {
    --entry;
    const JobStatus status = entry->second->status();
    if (status.running()) continue;
    ++finished;
    const bool old = status.ended && now - *status.ended > options_.limits.finished_age;
    if (finished > options_.limits.most_finished || old) entry = jobs_.erase(entry);
  }
}

Expected<std::shared_ptr<Job>> Jobs::start(JobRequest request) {
  if (const milliseconds longest = options_.limits.longest_time; longest > milliseconds(0))
    request.time_limit = std::min(request.time_limit.value_or(longest), longest);
  auto companion = std::exchange(request.companion, {});
  auto log = OutputLog::create(options_.output_directory, request.output);
  if (!log) return fail(log.error());
  auto job = std::make_shared<Job>(random_id("cmd", kIdLetters), std::move(request), std::move(*log));
  {
    const std::lock_guard lock(mutex_);
    drop_old();
    if (auto checked = check_limit(); !checked) return fail(checked.error());
    jobs_.emplace(++last_order_, job);
  }
  Launch launch = job->request().launch;
  std::optional<sandbox::Cgroup> cgroup = make_cgroup(launch);
  const sandbox::Plan& plan = job->request().launch.plan;
  if (plan.level != sandbox::Level::kOff && !plan.network)
    launch.plan.network_holder = static_cast<std::uint64_t>(network_.pid());
  auto child = spawn(launch, streams_for(job->request()), fork_server_);
  if (!child) {
    drop(job->id());
    return fail(child.error());
  }
  const std::uint64_t number = reactor_->next_number();
  {
    const std::lock_guard lock(job->mutex_);
    job->wake_ = [reactor = reactor_.get(), number] { reactor->wake(number); };
  }
  reactor_->add(number, std::make_unique<JobDriver>(job, std::move(*child), std::move(cgroup),
                                                    std::move(companion), number));

  std::unique_lock lock(job->mutex_);
  const bool started = job->state_changed_.wait_for(
      lock, kStartTimeout, [&] { return job->status_.state != JobState::kStarting || job->start_error_; });
  if (started && !job->start_error_) return job;
  Error error = job->start_error_.value_or(Error{ErrorCode::kTimeout, "The command did not start in time.",
                                                 "Try again when the machine is less busy."});
  lock.unlock();
  job->kill(milliseconds(0));
  drop(job->id());
  return fail(std::move(error));
}

Expected<std::shared_ptr<Job>> Jobs::find(const std::string& id) const {
  std::vector<std::string> known;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [order, job] : jobs_) {
      if (job->id() == id) return job;
      known.push_back(job->id());
    }
  }
  const std::vector<std::string> meant = nearest(id, known);
  return fail(
      ErrorCode::kNotFound, concat("There is no command with the sessionId ", id, "."),
      meant.empty() ? "Use process list to see all commands." : concat("Did you mean ", meant[0], "?"));
}

std::vector<std::shared_ptr<Job>> Jobs::list() const {
  std::vector<std::shared_ptr<Job>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [order, job] : jobs_) all.push_back(job);
  return all;
}

void Jobs::drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [&](const auto& entry) { return entry.second->id() == id; });
}

Expected<void> Jobs::remove(const std::string& id) {
  auto job = find(id);
  if (!job) return fail(job.error());
  (*job)->kill(milliseconds(0));
  (*job)->log().discard();
  drop(id);
  return {};
}

std::size_t Jobs::running() const {
  const auto all = list();
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const auto& job) { return job->status().running(); }));
}

}  // namespace helve::process
