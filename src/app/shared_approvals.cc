#include "app/shared_approvals.h"

#include <utility>

#include "base/strings.h"
#include "helve/log.h"
#include "inbox/inbox.h"
#include "inbox/shared_approver.h"
#include "settings/directories.h"

namespace helve::app {

struct SharedApprovals::Parts {
  Parts(std::string directory, std::string program)
      : inbox(std::move(directory), {.program = std::move(program)}, logger) {}

  Logger logger;
  inbox::Inbox inbox;
};

SharedApprovals::SharedApprovals(std::string program) {
  if (auto directory = approvals_directory(); directory)
    parts_ = std::make_shared<Parts>(*std::move(directory), std::move(program));
}

std::shared_ptr<Approver> SharedApprovals::around(std::shared_ptr<Approver> own,
                                                  std::chrono::seconds patience) const {
  if (parts_ == nullptr) return own;
  return std::make_shared<inbox::SharedApprover>(std::shared_ptr<inbox::Inbox>(parts_, &parts_->inbox),
                                                 std::move(own), patience);
}

Expected<std::string> approvals_directory() {
  auto state = settings::default_state_directory();
  if (!state) return state;
  return concat(*state, "/approvals");
}

}  // namespace helve::app
