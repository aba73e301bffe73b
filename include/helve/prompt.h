// Describes the enabled tools to a model: as system prompt text or as function-calling JSON.
//
//   #include <helve/prompt.h>
//   #include <helve/runtime.h>
//   std::string functions_for(helve::Runtime& runtime) {
//     const helve::ToolPromptGenerator prompt(runtime.tools());
//     return prompt.generate(helve::ToolPromptGenerator::Format::kOpenai);
//   }
#pragma once

#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/registry.h"
#include "helve/settings/guide.h"
#include "helve/tool.h"

namespace HELVE_API helve {

// A <tool> element with its <parameter> elements.
[[nodiscard]] std::string tool_to_xml(const ToolDefinition& tool);
// {"name", "description", "effect", "parameters"}, with the parameters as JSON Schema.
[[nodiscard]] Json tool_to_json(const ToolDefinition& tool);
// One element of the `tools` array of the Chat Completions API.
[[nodiscard]] Json tool_to_openai(const ToolDefinition& tool);
// One element of the `tools` array of the Messages API.
[[nodiscard]] Json tool_to_anthropic(const ToolDefinition& tool);

// Generates the description of all enabled tools. It keeps the list of tools that were enabled when it was
// created, and shares ownership of them: create a new one after the registry changes. It may be used from all
// threads. The same tools give the same bytes, so that prompt caches hit.
class ToolPromptGenerator {
 public:
  enum class Format { kXml, kJson, kOpenai, kAnthropic };

  // `registry` is used only here. `guide` changes the advice; see GuideSettings.
  explicit ToolPromptGenerator(const Registry& registry, GuideSettings guide = {})
      : tools_(registry.list()), guide_(std::move(guide)) {}

  // For kXml and kJson: a complete system prompt. For kOpenai and kAnthropic: the JSON array of functions.
  [[nodiscard]] std::string generate(Format format) const;

  // The advice alone, for models that receive the tools by function calling: which tool is for what, what to
  // try when one fails, and what is not available.
  [[nodiscard]] std::string guide() const;

  // The same in short, for the instructions of an MCP server. Without tools that ask the user, which not
  // every client offers.
  [[nodiscard]] std::string instructions() const;

 private:
  [[nodiscard]] std::string system_prompt(std::string_view tools) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool offers(std::string_view name) const;

  std::vector<std::shared_ptr<const RegisteredTool>> tools_;
  const GuideSettings guide_;
};

constexpr auto enum_names(ToolPromptGenerator::Format) {
  return std::to_array<std::string_view>({"xml", "json", "openai", "anthropic"});
}

}  // namespace helve
