// Between a session and its person: what is asked is written down first, and answers given before a restart
// count.
#pragma once

#include <atomic>
#include <memory>

#include "agent/journal.h"
#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/questions.h"

namespace helve::agent {

// Owned by the session; the journal must outlive it.
class PausingApprover final : public Approver {
 public:
  // `person` may be null: then only what was answered before counts.
  PausingApprover(Journal& journal, std::shared_ptr<Approver> person)
      : journal_(journal), person_(std::move(person)) {}
  [[nodiscard]] bool can_ask(const PermissionRequest& request) override;
  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;

 private:
  Journal& journal_;
  const std::shared_ptr<Approver> person_;
};

// Tells of questions as events, too. Owned by the session; the journal must outlive it.
class PausingAsker final : public Asker {
 public:
  PausingAsker(Journal& journal, std::shared_ptr<Asker> person)
      : journal_(journal), person_(std::move(person)) {}
  // Where events go; before the first question.
  void follow(EventStream& events) { events_ = &events; }
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;

 private:
  Journal& journal_;
  const std::shared_ptr<Asker> person_;
  std::atomic<EventStream*> events_ = nullptr;
};

}  // namespace helve::agent
