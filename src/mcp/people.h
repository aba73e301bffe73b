// The way to the person behind a client.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "helve/session.h"
#include "mcp/call.h"

namespace helve::mcp {

// Asks the person, and lets the client's model write, through the call that needs it. Shared by the session
// and the tools. May be used from all threads.
class People final : public Approver, public Asker, public Sampler {
 public:
  [[nodiscard]] bool can_ask(const PermissionRequest& request) override;
  [[nodiscard]] Approval ask(const PermissionRequest& request, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Reply> ask(const Question& question, const std::stop_token& stop) override;
  [[nodiscard]] Expected<Json> sample(const std::string& call_id, const Json& parameters,
                                      const std::stop_token& stop) override;

  // While the call of the runtime runs, its questions go through this one.
  void add(const std::string& call_id, const std::shared_ptr<Call>& call);
  void remove(const std::string& call_id);

 private:
  [[nodiscard]] std::shared_ptr<Call> find(const std::string& call_id) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Call>> calls_;
};

}  // namespace helve::mcp
