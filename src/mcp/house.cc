#include "mcp/house.h"

#include <algorithm>

#include "base/file_io.h"
#include "base/file_uri.h"
#include "base/strings.h"
#include "core/session_state.h"

namespace helve::mcp {
namespace {

constexpr auto kRootsPatience = std::chrono::seconds(10);  // for a client that says it has roots

// The first of the client's roots that is a directory here, as a real path.
Expected<std::string> first_root(Call& call) {
  auto answers = call.ask({{.key = "roots", .method = "roots/list"}},
                          {.deadline = std::chrono::steady_clock::now() + kRootsPatience});
  if (!answers) return fail(answers.error());
  const Json* roots = answers->front().find("roots");
  for (const Json& root : roots != nullptr && roots->is_array() ? roots->as_array() : JsonArray()) {
    const Json* uri = root.find("uri");
    const auto path = uri != nullptr && uri->is_string() ? path_of_uri(uri->as_string()) : std::nullopt;
    auto real = path ? real_path(concat(*path, "/.")) : Expected<std::string>(fail(Error()));
    if (real) return real;
  }
  return fail(ErrorCode::kNotFound, "None of the client's roots is a directory on this machine.");
}

}  // namespace

bool Seat::is_busy() const {
  return std::ranges::any_of(session->state().commands.list(),
                             [](const auto& command) { return command->status().running(); });
}

House::House(std::shared_ptr<Runtime> runtime, Move move) : move_(std::move(move)) {
  settle(std::move(runtime));
}

std::shared_ptr<Runtime> House::runtime() const {
  const std::lock_guard lock(mutex_);
  return runtime_;
}

void House::settle(std::shared_ptr<Runtime> runtime) {
  Subscription changes = runtime->tools().on_change([callbacks = callbacks_] { callbacks->call(); });
  const std::lock_guard lock(mutex_);
  changes_.swap(changes);
  runtime_.swap(runtime);
}

void House::follow_roots(Call& call) {
  if (!move_ || call.info().is_modern() || !call.info().offers({"roots"})) return;
  const std::lock_guard lock(moving_);
  if (!call.client().take_roots_news()) return;
  const auto root = first_root(call);
  if (!root && root.error().code == ErrorCode::kCancelled) return call.client().roots_changed();
  if (!root) return call.log(LogSeverity::kWarning, "helve", root.error().message);
  if (*root == runtime()->workspace()) return;
  auto moved = move_(*root);
  if (!moved)
    return call.log(LogSeverity::kError, "helve",
                    concat(*root, " cannot be the workspace: ", moved.error().message));
  settle(*std::move(moved));
  call.client().seat().leave();
  callbacks_->call();
}

Expected<std::shared_ptr<Seat>> House::seat(Call& call) {
  follow_roots(call);
  Error problem;
  const auto make = [&]() -> std::shared_ptr<Seat> {
    auto seat = std::make_shared<Seat>();
    seat->runtime = runtime();
    seat->people = std::make_shared<People>();
    auto session = seat->runtime->open_session(
        {.approver = seat->people, .asker = seat->people, .sampler = seat->people});
    if (!session) {
      problem = std::move(session.error());
      return nullptr;
    }
    seat->session = *std::move(session);
    seat->session->state().has_audience = false;  // what clients hear comes from their calls
    return seat;
  };
  auto seat = std::static_pointer_cast<Seat>(call.client().seat().seat(make));
  if (seat) return seat;
  problem.message = concat("No session could be opened: ", problem.message);
  return fail(std::move(problem));
}

Subscription House::on_tools_change(std::function<void()> callback) {
  auto kept = std::make_shared<std::function<void()>>(std::move(callback));
  const std::lock_guard lock(callbacks_->mutex);
  callbacks_->all.push_back(kept);
  return kept;
}

void House::Callbacks::call() {
  std::vector<std::shared_ptr<std::function<void()>>> present;
  {
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const auto& callback) { return callback.expired(); });
    for (const auto& callback : all)
      if (auto kept = callback.lock()) present.push_back(std::move(kept));
  }
  for (const auto& callback : present) (*callback)();
}

}  // namespace helve::mcp
