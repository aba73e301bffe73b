// Asks the user wherever an answer can come from: the client's own questions first, then any watcher.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

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
  // The client is still asked one question at a time, unless it wants them together.
  [[nodiscard]] bool asks_together() const override { return true; }

 private:
  [[nodiscard]] Approval ask_client(const PermissionRequest& request, const std::stop_token& stop);
  [[nodiscard]] bool client_can_be_asked(const PermissionRequest& request) const;

  const std::shared_ptr<Inbox> inbox_;
  const std::shared_ptr<Approver> own_;
  const std::chrono::seconds patience_;
  std::timed_mutex client_;  // held while the client is asked, if it takes one question at a time
};

}  // namespace helve::inbox
