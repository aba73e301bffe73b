#include "core/progress_events.h"

#include <atomic>

#include "base/strings.h"

namespace helve::core {
namespace {

std::string words_for(const Progress& progress) {
  std::string words = progress.message;
  // Without a total, the message says more than the number.
  if (!words.empty() && !progress.total) return words;
  const std::string done = to_text(Json(progress.done));
  const std::string count = progress.total ? concat(done, " of ", to_text(Json(*progress.total))) : done;
  return words.empty() ? count : concat(words, " (", count, ")");
}

}  // namespace

std::function<void(const Progress&)> progress_events(const ActiveCall& active) {
  static constexpr auto kPause = std::chrono::milliseconds(100);
  struct Reporter {
    std::shared_ptr<Session> session;
    ToolEvent event;
    std::function<void(const Progress&)> caller;
    std::atomic<Context::Clock::rep> next_event = 0;
  };
  const auto reporter = std::make_shared<Reporter>();
  reporter->session = active.session;
  reporter->event = {.kind = ToolEvent::Kind::kUpdate,
                     .call_id = active.call.id,
                     .tool = active.call.tool,
                     .server = active.tool->definition.server};
  reporter->caller = active.call.on_progress;
  return [reporter](const Progress& progress) {
    const Context::Clock::rep now = Context::Clock::now().time_since_epoch().count();
    Context::Clock::rep due = reporter->next_event.load();
    const Context::Clock::rep following =
        now + std::chrono::duration_cast<Context::Clock::duration>(kPause).count();
    if (now >= due && reporter->next_event.compare_exchange_strong(due, following)) {
      ToolEvent event = reporter->event;
      event.response = words_for(progress);
      reporter->session->events().publish(std::move(event));
    }
    if (reporter->caller) reporter->caller(progress);
  };
}

}  // namespace helve::core
