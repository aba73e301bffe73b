// Shares the questions of this process with helve approvals.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "helve/permissions.h"

namespace helve::app {

// Makes an approver that also asks in helve approvals, and waits there for `patience` if its own user cannot
// be asked and nobody watches.
class SharedApprovals {
 public:
  // The name of this program: "helve mcp".
  explicit SharedApprovals(std::string program);

  // `own` may be null. Returns it unchanged if there is no directory for Helve's state.
  [[nodiscard]] std::shared_ptr<Approver> around(std::shared_ptr<Approver> own,
                                                 std::chrono::seconds patience = {}) const;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

// Where processes find each other's questions.
[[nodiscard]] Expected<std::string> approvals_directory();

}  // namespace helve::app
