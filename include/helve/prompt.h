// Tells a model which tools it has: system prompt text and function-calling JSON.
#pragma once

#include <string>
#include <vector>

#include "helve/registry.h"
#include "helve/service_settings.h"
#include "helve/tool.h"

namespace helve {

[[nodiscard]] std::string tool_to_xml(const ToolDefinition& tool);
[[nodiscard]] Json tool_to_json(const ToolDefinition& tool);
// One element of the `tools` array of the Chat Completions API.
[[nodiscard]] Json tool_to_openai(const ToolDefinition& tool);
// One element of the `tools` array of the Messages API.
[[nodiscard]] Json tool_to_anthropic(const ToolDefinition& tool);

// Generates from the enabled tools. The same tools give the same bytes, so that prompt caches hit.
class ToolPromptGenerator {
 public:
  enum class Format { kXml, kJson, kOpenai, kAnthropic };

  explicit ToolPromptGenerator(const Registry& registry, settings::Guide guide = {})
      : tools_(registry.list()), guide_(std::move(guide)) {}

  // The whole: for XML and JSON a system prompt, for the two others the array of functions.
  [[nodiscard]] std::string generate(Format format) const;
  // For models that get the tools by function calling: which is for what, what to try when one fails, and
  // what is not there.
  [[nodiscard]] std::string guide() const;

 private:
  [[nodiscard]] std::string system_prompt(std::string_view tools) const;
  [[nodiscard]] bool offers(std::string_view name) const;

  std::vector<std::shared_ptr<const RegisteredTool>> tools_;
  const settings::Guide guide_;
};

constexpr auto enum_names(ToolPromptGenerator::Format) {
  return std::to_array<std::string_view>({"xml", "json", "openai", "anthropic"});
}

}  // namespace helve
