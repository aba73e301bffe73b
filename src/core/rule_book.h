// The permission rules that hold in one runtime, from settings and from what people add while it runs.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "helve/permissions.h"
#include "helve/settings.h"
#include "policy/approval_memory.h"
#include "policy/decide.h"
#include "policy/hidden_paths.h"
#include "policy/suggest_rule.h"

namespace helve {

// Shared by all sessions; may be used from all threads.
class RuleBook {
 public:
  using KeepRules = std::function<Expected<void>(const std::vector<std::string>& allow_rules)>;

  // `warnings` gets what a person should know: dead rules, unknown tools.
  [[nodiscard]] static Expected<std::shared_ptr<RuleBook>> load(const Settings::Permissions& settings,
                                                                policy::Surroundings surroundings,
                                                                KeepRules keep,
                                                                std::vector<std::string>& warnings);

  [[nodiscard]] bool has_rules() const;
  // Any that denies, or asks: then what is typed into a shell is worth a look, line by line.
  [[nodiscard]] bool has_restrictions() const;
  // With rules that hold besides, for one session.
  [[nodiscard]] policy::Ruling decide(const policy::Call& call, Mode mode,
                                      const policy::RuleSet& besides = {}) const;
  [[nodiscard]] policy::Suggestion suggest(const policy::Call& call, Mode mode) const;
  // From now on, and for later runs where somebody keeps them.
  [[nodiscard]] Expected<void> allow_always(const std::vector<std::string>& rules);
  // What read rules keep from searches and commands.
  [[nodiscard]] std::shared_ptr<const policy::HiddenPaths> hidden() const;
  [[nodiscard]] const policy::Surroundings& surroundings() const { return surroundings_; }

 private:
  RuleBook(policy::Surroundings surroundings, KeepRules keep)
      : surroundings_(std::move(surroundings)), keep_(std::move(keep)) {}
  [[nodiscard]] std::shared_ptr<const policy::RuleSet> rules() const;
  void set(policy::RuleSet rules);

  const policy::Surroundings surroundings_;
  const KeepRules keep_;
  std::mutex adding_;  // taken before the other
  mutable std::mutex mutex_;
  std::shared_ptr<const policy::RuleSet> rules_;
  std::shared_ptr<const policy::HiddenPaths> hidden_;
};

// What one session may do: its mode, the rules, and what its person agreed to.
class RulePermissions final : public Permissions {
 public:
  RulePermissions(Mode mode, std::shared_ptr<RuleBook> rules) : mode_(mode), rules_(std::move(rules)) {}

  [[nodiscard]] Decision decide(const PermissionRequest& request) const override;
  [[nodiscard]] Json explain(const PermissionRequest& request) const override;
  [[nodiscard]] std::vector<std::string> suggest(const PermissionRequest& request) const override;
  [[nodiscard]] Expected<void> remember(const PermissionRequest& request, ApprovalScope scope) override;
  [[nodiscard]] std::string session_covers(const PermissionRequest& request) const override;
  void use_mode(Mode mode) override { mode_ = mode; }

  // Rules that allow until the session ends. They take questions away and nothing else: what a rule denies or
  // wants to be asked about stays so. Those that cannot be read come back, each with why.
  std::vector<Error> allow_in_session(const std::vector<std::string>& rules, const std::string& source);

 private:
  [[nodiscard]] policy::RuleSet session_rules() const;

  std::atomic<Mode> mode_;
  const std::shared_ptr<RuleBook> rules_;
  mutable policy::ApprovalMemory approvals_;
  mutable std::mutex mutex_;
  policy::RuleSet session_rules_;
};

}  // namespace helve
