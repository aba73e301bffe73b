// Reaches the user and the model behind a client: approvals and questions by elicitation, text by sampling.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "helve/session.h"
#include "mcp/active_request.h"

namespace helve::mcp {

// Asks through the MCP request whose tool call needs the answer. Shared by the session and the tools. May be
// used from all threads.
class ClientUser final : public Approver, public Asker, public Sampler {
 public:
  [[nodiscard]] bool can_ask(const PermissionRequest& request) override;
  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Json> sample(const std::string& call_id, const Json& parameters,
                                      const std::stop_token& stop) override;

  // Until it is removed, questions of the tool call `call_id` go through `request`.
  void add(const std::string& call_id, const std::shared_ptr<ActiveRequest>& request);
  void remove(const std::string& call_id);

 private:
  [[nodiscard]] std::shared_ptr<ActiveRequest> find(const std::string& call_id) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<ActiveRequest>> requests_;
};

}  // namespace helve::mcp
