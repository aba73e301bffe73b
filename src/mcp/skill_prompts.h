// Offers skills that users can invoke as MCP prompts.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/path_watch.h"
#include "mcp/offer.h"
#include "skills/discover.h"

namespace helve::mcp {

class SkillPrompts final : public Prompts {
 public:
  struct Places {
    std::string workspace = {};
    bool project_trusted = false;
    std::string config_directory = {};
    std::string home = {};
    std::string trust_file = {};  // when it changes, the project may become trusted
  };
  // `places` is called at each use, because the workspace may move.
  explicit SkillPrompts(std::function<Places()> places) : places_(std::move(places)) {}

  [[nodiscard]] JsonArray list() override;
  [[nodiscard]] std::expected<std::optional<Json>, rpc::Failure> get(ActiveRequest& request,
                                                                     const std::string& name,
                                                                     const Json& arguments) override;
  [[nodiscard]] std::vector<std::string> complete(const std::string& name, const std::string& argument,
                                                  const std::string& value) override;
  [[nodiscard]] static skills::SkillSet discover(const workspace::Root& root, const Places& places);

  // Watches the skills' directories from the first subscription on. Calls back if the list has changed.
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override;

 private:
  [[nodiscard]] std::vector<std::string> watched_paths() const;
  void look_for_changes();

  const std::function<Places()> places_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<std::function<void()>>> subscribers_;
  std::string listed_;                // the list as it was last seen
  std::unique_ptr<PathWatch> watch_;  // last: its thread uses the other members
};

}  // namespace helve::mcp
