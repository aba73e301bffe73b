// Sets up runtime, session store, model and skills, and creates agents from them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/skill_use.h"
#include "app/invocation.h"
#include "app/shared_approvals.h"
#include "helve/settings/model.h"
#include "model/model.h"
#include "settings/groups.h"
#include "store/store.h"

namespace helve::chat {

// The user's session store.
[[nodiscard]] Expected<std::unique_ptr<store::Store>> open_sessions();

// Forwards to a model that can be replaced between replies.
class SwitchableModel final : public model::Model {
 public:
  void set(std::unique_ptr<model::Model> model) { model_ = std::move(model); }

  [[nodiscard]] const std::string& name() const override { return model_->name(); }
  [[nodiscard]] std::optional<std::int64_t> context_window() const override {
    return model_->context_window();
  }
  [[nodiscard]] Expected<model::Reply> reply(const model::Conversation& conversation,
                                             const model::Listener& listener,
                                             const std::stop_token& stop) override {
    return model_->reply(conversation, listener, stop);
  }

 private:
  std::unique_ptr<model::Model> model_;
};

// Owned by the command; must outlive its agents. Not thread-safe.
class AgentSetup {
 public:
  AgentSetup(app::Invocation shell, std::stop_token interrupted)
      : shell_(std::move(shell)), interrupted_(std::move(interrupted)) {}

  // Call it first. Prints warnings to stderr. `resumed` is the id of the session to continue, empty for the
  // workspace's newest; a missing session is reported before the model and skills are loaded.
  [[nodiscard]] Expected<void> prepare(const std::optional<std::string>& resumed = {});

  [[nodiscard]] const app::Invocation& shell() const { return shell_; }
  [[nodiscard]] Runtime& runtime() const { return *runtime_; }
  [[nodiscard]] store::SessionRecords& records() const { return store_->sessions(); }
  [[nodiscard]] const model::Model& model() const { return model_; }
  [[nodiscard]] const agent::SkillLibrary& shelf() const { return *shelf_; }

  struct Responders {
    std::shared_ptr<Approver> approver = {};
    std::shared_ptr<Asker> asker = {};
  };
  [[nodiscard]] Expected<std::unique_ptr<agent::Agent>> begin(std::string_view title, Responders responders);
  // An empty id is the newest session of the workspace.
  [[nodiscard]] Expected<std::unique_ptr<agent::Agent>> resume(const std::string& id, Responders responders);

  // Expands "/name …" to the text of the skill; returns other text unchanged.
  [[nodiscard]] Expected<agent::SkillCommand> task_of(const std::string& text) const;
  // The setting's mode until use_mode(); applies to agents created afterwards.
  [[nodiscard]] Mode mode() const { return mode_.value_or(settings::Groups(runtime_->settings()).mode); }
  void use_mode(Mode mode) { mode_ = mode; }
  // Takes effect with the next reply. Returns warnings.
  [[nodiscard]] Expected<std::vector<std::string>> use_model(const std::string& name);

 private:
  [[nodiscard]] Expected<std::vector<std::string>> choose_model(const ModelSettings& settings);
  [[nodiscard]] Expected<void> find_skills();
  [[nodiscard]] Expected<std::string> find_session(const std::string& id) const;
  [[nodiscard]] agent::AgentParts parts(Responders responders);
  void warn(std::string_view text) const;

  const app::SharedApprovals shared_approvals_{"helve agent"};
  const app::Invocation shell_;
  const std::stop_token interrupted_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<store::Store> store_;
  SwitchableModel model_;
  std::shared_ptr<agent::SkillLibrary> shelf_;
  std::optional<Mode> mode_;
};

}  // namespace helve::chat
