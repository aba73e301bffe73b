// Asks the user wherever an answer can come from: the client's own questions first, then any watcher.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "helve/permissions.h"
#include "inbox/inbox.h"

namespace helve::inbox {

// Every question is in the inbox while it is open, so that it can also be answered there; the first answer
// counts. If the client cannot be asked, it waits: as long as someone watches, and otherwise for a set time.
class SharedApprover final : public Approver {
 public:
  // `own` asks the client and may be null.
  SharedApprover(std::shared_ptr<Inbox> inbox, std::shared_ptr<Approver> own, std::chrono::seconds patience)
      : inbox_(std::move(inbox)), own_(std::move(own)), patience_(patience) {}

  [[nodiscard]] bool can_ask(const PermissionRequest& request) override;
  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  // As the client wants it. Whatever it cannot be asked waits together.
  [[nodiscard]] bool asks_together() const override { return !asks_client_ || own_->asks_together(); }

 private:
  [[nodiscard]] bool client_can_be_asked(const PermissionRequest& request) const;

  const std::shared_ptr<Inbox> inbox_;
  const std::shared_ptr<Approver> own_;
  const std::chrono::seconds patience_;
  std::atomic<bool> asks_client_ = false;  // the client could be asked the newest question
};

}  // namespace helve::inbox
