// The resources and prompts of other MCP servers, under names that cannot collide.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "gateway/gateway.h"

namespace helve::gateway {

// A resource x://y of the server with the label files is mcp://files/x://y, and its prompt p is
// mcp__files__p. May be used from all threads; the gateway must outlive it. Servers that do not answer are
// left out of lists.
class ServerOffers {
 public:
  explicit ServerOffers(const Gateway& gateway) : gateway_(gateway) {}

  // Descriptions as the servers give them, except for the names.
  [[nodiscard]] JsonArray resources(const Terms& terms) const;
  [[nodiscard]] JsonArray templates(const Terms& terms) const;
  [[nodiscard]] JsonArray prompts(const Terms& terms) const;

  // The contents of a resource, by its name here or by a URI that a server's result links to. Nothing if no
  // server has it.
  [[nodiscard]] std::optional<Expected<JsonArray>> read(const std::string& uri, const Terms& terms) const;
  [[nodiscard]] std::optional<Expected<Json>> get_prompt(const std::string& name, const Json& arguments,
                                                         const Terms& terms) const;
  // Values that can complete an argument of a prompt or of a resource template.
  [[nodiscard]] std::vector<std::string> complete_prompt(const std::string& name, const std::string& argument,
                                                         const std::string& value, const Terms& terms) const;
  [[nodiscard]] std::vector<std::string> complete_template(const std::string& uri_template,
                                                           const std::string& argument,
                                                           const std::string& value,
                                                           const Terms& terms) const;

 private:
  struct Named {
    std::shared_ptr<ServerLink> link;
    std::string name;  // at its server
  };
  [[nodiscard]] std::optional<Named> resource_named(const std::string& uri) const;
  [[nodiscard]] std::optional<Named> prompt_named(const std::string& name, const Terms& terms) const;

  const Gateway& gateway_;
};

}  // namespace helve::gateway
