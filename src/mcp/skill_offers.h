// Offers the files of skills over MCP, with their digests (the Skills extension).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "mcp/offer.h"
#include "mcp/skill_prompts.h"
#include "skills/skill_folder.h"

namespace helve::mcp {

// The file notes/a.md of the skill greet is skill://greet/notes/a.md. Leaves out skills that cannot be
// offered: with a name or front matter that the Agent Skills specification does not allow, or that are too
// large. Skills are discovered at each use.
class SkillOffers final : public Skills {
 public:
  explicit SkillOffers(std::function<SkillPrompts::Places()> places) : places_(std::move(places)) {}

  [[nodiscard]] JsonArray list() override;
  [[nodiscard]] std::optional<Json> get(const std::string& uri) override;
  [[nodiscard]] JsonArray resources() override;
  [[nodiscard]] std::optional<JsonArray> read(const std::string& uri) override;
  [[nodiscard]] std::optional<JsonArray> directory(const std::string& uri) override;

 private:
  struct Served;
  [[nodiscard]] Served discover() const;
  // The skill that the URI lies in, and the rest of the URI, without a slash at its ends.
  [[nodiscard]] static std::optional<std::pair<const skills::Skill*, std::string>> locate(
      const Served& served, const std::string& uri);

  const std::function<SkillPrompts::Places()> places_;
};

}  // namespace helve::mcp
