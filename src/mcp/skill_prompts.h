// Skills as prompts: what a person calls by its name, the client offers as a command.
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
  // Asked whenever skills are, since the workspace may move.
  explicit SkillPrompts(std::function<Places()> places) : places_(std::move(places)) {}

  [[nodiscard]] JsonArray list() override;
  [[nodiscard]] std::expected<std::optional<Json>, rpc::Failure> get(Call& call, const std::string& name,
                                                                     const Json& arguments) override;
  [[nodiscard]] std::vector<std::string> complete(const std::string& name, const std::string& argument,
                                                  const std::string& value) override;
  // Skills are looked for whenever they are asked for; nobody watches their folders.
  [[nodiscard]] Subscription on_change(std::function<void()> callback) override;

 private:
  const std::function<Places()> places_;
};

}  // namespace helve::mcp
