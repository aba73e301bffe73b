// Offers skills that users can invoke as MCP prompts.
#pragma once

#include <string>

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
  };
  // `places` is called at each use, because the workspace may move.
  explicit SkillPrompts(std::function<Places()> places) : places_(std::move(places)) {}

  [[nodiscard]] JsonArray list() override;
  [[nodiscard]] std::expected<std::optional<Json>, rpc::Failure> get(ActiveRequest& request,
                                                                     const std::string& name,
                                                                     const Json& arguments) override;
  [[nodiscard]] std::vector<std::string> complete(const std::string& name, const std::string& argument,
                                                  const std::string& value) override;
  // Null: skills are discovered at each use and their directories are not watched.
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override;

 private:
  const std::function<Places()> places_;
};

}  // namespace helve::mcp
