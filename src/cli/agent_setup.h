// What an agent needs on this machine: runtime, sessions, model, skills; and agents made of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/skill_use.h"
#include "cli/shell.h"
#include "model/model.h"
#include "store/store.h"

namespace helve::cli {

// The store of the user's sessions, with the directory it lies in.
[[nodiscard]] Expected<std::unique_ptr<store::Store>> open_sessions();

// A model that can be another one from the next reply on. Used like any model; set() between replies.
class ExchangeableModel final : public model::Model {
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

// Owned by the command that runs; outlives the agents. For one thread.
class AgentSetup {
 public:
  AgentSetup(Shell shell, std::stop_token interrupted)
      : shell_(std::move(shell)), interrupted_(std::move(interrupted)) {}

  // Before all else. Warnings go to stderr. `resumed`: the id of the session that is to go on; empty for the
  // newest of the workspace. One that is not there is found out before anything that it would need.
  [[nodiscard]] Expected<void> prepare(const std::optional<std::string>& resumed = {});

  [[nodiscard]] const Shell& shell() const { return shell_; }
  [[nodiscard]] Runtime& runtime() const { return *runtime_; }
  [[nodiscard]] store::SessionRecords& records() const { return store_->sessions(); }
  [[nodiscard]] const model::Model& model() const { return model_; }
  [[nodiscard]] const agent::SkillShelf& shelf() const { return *shelf_; }

  struct People {
    std::shared_ptr<Approver> approver = {};
    std::shared_ptr<Asker> asker = {};
  };
  [[nodiscard]] Expected<std::unique_ptr<agent::Agent>> begin(std::string_view title, People people);
  // An empty id is the newest session of the workspace.
  [[nodiscard]] Expected<std::unique_ptr<agent::Agent>> resume(const std::string& id, People people);

  // "/name …" as the skill of that name says it, anything else as it is and without a skill.
  [[nodiscard]] Expected<agent::SkillCommand> task_of(const std::string& said) const;
  // The setting's, until another one is taken; for the agents that are begun or resumed after that.
  [[nodiscard]] Mode mode() const { return mode_.value_or(runtime_->settings().mode); }
  void use_mode(Mode mode) { mode_ = mode; }
  // From the next reply on. Returns warnings.
  [[nodiscard]] Expected<std::vector<std::string>> use_model(const std::string& name);

 private:
  [[nodiscard]] Expected<std::vector<std::string>> choose_model(const Settings::Model& settings);
  [[nodiscard]] Expected<void> find_skills();
  [[nodiscard]] Expected<std::string> find_session(const std::string& id) const;
  [[nodiscard]] agent::AgentParts parts(People people);
  void warn(std::string_view text) const;

  const Shell shell_;
  const std::stop_token interrupted_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<store::Store> store_;
  ExchangeableModel model_;
  std::shared_ptr<agent::SkillShelf> shelf_;
  bool trusted_ = false;
  std::optional<Mode> mode_;
};

}  // namespace helve::cli
