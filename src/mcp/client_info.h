// What is known of the program at the other end: the revision it speaks and what it can do.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "helve/json.h"
#include "rpc/mcp_protocol.h"

namespace helve::mcp {

struct ClientInfo {
  std::string revision = std::string(rpc::kUnsaidRevision);
  std::string name = {};
  std::string version = {};
  Json capabilities = JsonObject();

  [[nodiscard]] rpc::Era era() const { return rpc::era_of(revision); }
  [[nodiscard]] bool is_modern() const { return era() == rpc::Era::kModern; }
  // offers({"elicitation", "url"}): whether the capability is declared.
  [[nodiscard]] bool offers(std::initializer_list<std::string_view> path) const {
    const Json* at = &capabilities;
    for (const std::string_view step : path) {
      at = at->find(step);
      if (at == nullptr || !at->is_object()) return false;
    }
    return true;
  }
};

}  // namespace helve::mcp
