#include "core/batch_questions.h"

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <thread>

namespace helve::core {
namespace {

constexpr std::size_t kMostAtOnce = 64;  // threads; a longer batch is asked in the order of its calls

void ask_in_turn(const std::vector<BatchQuestion>& batch) {
  bool first = true;
  for (const auto& [question, settle] : batch)
    settle([&, asked_before = !std::exchange(first, false)]() -> Expected<std::string> {
      if (asked_before)
        if (auto reason = question.take_cover()) return *std::move(reason);
      return question.ask();
    });
}

void ask_together(const std::vector<BatchQuestion>& batch) {
  std::vector<std::stop_source> withdrawn(batch.size());
  std::vector<std::atomic<bool>> settled(batch.size());
  std::atomic<std::size_t> next = 0;
  const auto ask_one = [&](std::size_t at) {
    PermissionQuestion& question = batch[at].question;
    batch[at].settle([&]() -> Expected<std::string> {
      // Also when it is covered already: the user may have answered it, and that counts.
      auto answer = question.ask(withdrawn[at].get_token());
      settled[at] = true;
      if (!question.covers_others()) return answer;
      for (std::size_t other = 0; other < batch.size(); ++other)
        if (!settled[other] && batch[other].question.covered()) withdrawn[other].request_stop();
      return answer;
    });
  };
  const auto work_off = [&] {
    for (std::size_t at = next++; at < batch.size(); at = next++) ask_one(at);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(batch.size(), kMostAtOnce); ++i) others.emplace_back(work_off);
  work_off();
}

}  // namespace

void ask_batch(const std::vector<BatchQuestion>& batch) {
  if (batch.empty()) return;
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i].question.announce(i + 1, batch.size());
  if (batch.size() > 1 && batch.front().question.asked_together())
    ask_together(batch);
  else
    ask_in_turn(batch);
}

}  // namespace helve::core
