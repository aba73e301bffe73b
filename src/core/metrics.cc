#include "core/metrics.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace helve::core {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

double in_milliseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

}  // namespace

Metrics::~Metrics() {
  for (const auto& place : table_) delete place.load(kRelaxed);
}

Metrics::Slot& Metrics::slot(std::string_view tool) {
  const std::size_t home = std::hash<std::string_view>()(tool) % kPlaces;
  const auto look = [&](std::size_t& at) -> Slot* {
    for (;; at = (at + 1) % kPlaces) {
      Slot* const found = table_[at].load(std::memory_order_acquire);
      if (found == nullptr || found->name == tool) return found;
    }
  };
  std::size_t at = home;
  if (Slot* const found = look(at)) return *found;
  {
    const std::lock_guard lock(adding_);
    if (Slot* const found = look(at)) return *found;  // another thread was faster
    if (size_ < kMostTools || tool == kOthers) {
      auto* const made = new Slot(tool);
      table_[at].store(made, std::memory_order_release);
      ++size_;
      return *made;
    }
  }
  return slot(kOthers);
}

void Metrics::count(std::string_view tool, std::optional<ErrorCode> failure, Duration duration) {
  Slot& slot = this->slot(tool);
  const auto elapsed = std::max<std::int64_t>(0, std::chrono::nanoseconds(duration).count());
  const auto nanoseconds = static_cast<std::uint64_t>(elapsed);
  slot.outcomes[failure ? static_cast<std::size_t>(*failure) + 1 : 0].fetch_add(1, kRelaxed);
  std::size_t bound = 0;
  while (bound < kBounds.size() && nanoseconds > std::uint64_t{kBounds[bound]} * 1'000'000) ++bound;
  slot.durations[bound].fetch_add(1, kRelaxed);
  slot.total_ns.fetch_add(nanoseconds, kRelaxed);
  std::uint64_t longest = slot.longest_ns.load(kRelaxed);
  while (longest < nanoseconds && !slot.longest_ns.compare_exchange_weak(longest, nanoseconds, kRelaxed)) {
  }
}

Json Metrics::to_json(const Slot& slot) {
  JsonObject outcomes;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    const std::uint64_t count = slot.outcomes[i].load(kRelaxed);
    if (count > 0)
      outcomes.append(i == 0 ? "ok" : std::string(to_string(static_cast<ErrorCode>(i - 1))), count);
  }
  JsonArray durations;
  std::uint64_t up_to = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    up_to += slot.durations[i].load(kRelaxed);
    durations.push_back(JsonObject{{"upToMs", kBounds[i]}, {"calls", up_to}});
  }
  // From the same counters as the durations, so that the sums agree.
  const std::uint64_t calls = up_to + slot.durations.back().load(kRelaxed);
  return JsonObject{{"calls", calls},
                    {"outcomes", std::move(outcomes)},
                    {"totalMs", in_milliseconds(slot.total_ns.load(kRelaxed))},
                    {"longestMs", in_milliseconds(slot.longest_ns.load(kRelaxed))},
                    {"durations", std::move(durations)}};
}

Json Metrics::to_json() const {
  std::vector<const Slot*> slots;
  for (const auto& place : table_)
    if (const Slot* const slot = place.load(std::memory_order_acquire)) slots.push_back(slot);
  std::ranges::sort(slots, {}, &Slot::name);
  JsonObject tools;
  for (const Slot* const slot : slots) tools.append(slot->name, to_json(*slot));
  return tools;
}

}  // namespace helve::core
