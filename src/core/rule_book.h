// The permission rules of one runtime: from the settings, and those that users add while it runs.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/permissions.h"
#include "policy/approval_memory.h"
#include "policy/decide.h"
#include "policy/hidden_paths.h"
#include "policy/suggest_rule.h"

namespace HELVE_API helve {
struct PermissionSettings;
}

namespace helve::core {

// Shared by all sessions; may be used from all threads.
class RuleBook {
 public:
  using KeepRules = std::function<Expected<void>(const std::vector<std::string>& allow_rules)>;

  // `warnings` receives problems for the user: dead rules, unknown tools. The allow rules of the workspace's
  // own Claude settings count only if the project is trusted.
  [[nodiscard]] static Expected<std::shared_ptr<RuleBook>> load(const PermissionSettings& settings,
                                                                policy::Surroundings surroundings,
                                                                bool project_trusted, KeepRules keep,
                                                                std::vector<std::string>& warnings);

  [[nodiscard]] bool has_rules() const;
  // Whether any rule denies or asks. If so, every input to a shell needs a decision.
  [[nodiscard]] bool has_restrictions() const;
  // With additional rules for one session.
  [[nodiscard]] policy::Ruling decide(const policy::RequestedCall& call, Mode mode,
                                      const policy::RuleSet& besides = {}) const;
  [[nodiscard]] policy::Suggestion suggest(const policy::RequestedCall& call, Mode mode) const;
  // Effective at once, and in later runs if the rules are saved.
  [[nodiscard]] Expected<void> allow_always(const std::vector<std::string>& rules);
  // Paths that read rules hide from searches and jobs.
  [[nodiscard]] std::shared_ptr<const policy::HiddenPaths> hidden() const;
  [[nodiscard]] const policy::Surroundings& surroundings() const { return surroundings_; }

 private:
  RuleBook(policy::Surroundings surroundings, KeepRules keep)
      : surroundings_(std::move(surroundings)), keep_(std::move(keep)) {}
  [[nodiscard]] std::shared_ptr<const policy::RuleSet> rules() const;
  void set(policy::RuleSet rules);

  const policy::Surroundings surroundings_;
  const KeepRules keep_;
  std::mutex adding_;  // locked before the other mutex
  mutable std::mutex mutex_;
  std::shared_ptr<const policy::RuleSet> rules_;
  std::shared_ptr<const policy::HiddenPaths> hidden_;
};

// The permissions of one session: by its mode, the rules, and the user's approvals.
class RulePermissions final : public Permissions {
 public:
  RulePermissions(Mode mode, std::shared_ptr<RuleBook> rules) : mode_(mode), rules_(std::move(rules)) {}

  [[nodiscard]] Decision decide(const PermissionRequest& request) const override;
  [[nodiscard]] Json explain(const PermissionRequest& request) const override;
  [[nodiscard]] std::vector<std::string> suggest(const PermissionRequest& request) const override;
  [[nodiscard]] Expected<void> remember(const PermissionRequest& request, ApprovalScope scope) override;
  [[nodiscard]] std::string session_covers(const PermissionRequest& request) const override;
  void use_mode(Mode mode) override { mode_ = mode; }

  // Adds the allow rules of a skill until the session ends. They only avoid questions: deny and ask rules
  // keep their effect. Returns the invalid ones, each with the reason.
  std::vector<Error> allow_in_session(const std::vector<std::string>& rules, const std::string& source);

 private:
  [[nodiscard]] policy::RuleSet session_rules() const;

  std::atomic<Mode> mode_;
  const std::shared_ptr<RuleBook> rules_;
  mutable policy::ApprovalMemory approvals_;
  mutable std::mutex mutex_;
  policy::RuleSet session_rules_;
};

}  // namespace helve::core
