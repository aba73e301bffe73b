// What Helve says about itself to a server, and what the server's answers are to Helve.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/channel.h"
#include "rpc/mcp_protocol.h"

namespace helve::gateway {

// What this side can do for a server that asks.
struct Offers {
  bool questions = false;  // elicitation
  bool sampling = false;
  bool roots = true;
};

[[nodiscard]] Json client_info();
[[nodiscard]] Json client_capabilities(const Offers& offers);

// What is known of a server once both sides have agreed on a revision.
struct ServerFacts {
  std::string revision = {};
  std::string name = {};  // as it calls itself
  std::string version = {};
  std::string instructions = {};
  Json capabilities = JsonObject();

  [[nodiscard]] rpc::Era era() const { return rpc::era_of(revision); }
  // offers("tools"), offers("tools", "listChanged")
  [[nodiscard]] bool offers(std::string_view capability, std::string_view part = {}) const;
};

// The parameters as a request of the modern era has them: with revision and capabilities in _meta.
[[nodiscard]] Json with_modern_meta(Json params, std::string_view revision, const Offers& offers);

// What a failure that the server reports is to a caller. Its code and data are in the details.
[[nodiscard]] Error server_error(std::string_view server, const rpc::Failure& failure);
// The code in the details of an error that came from server_error(), else 0.
[[nodiscard]] std::int64_t server_error_code(const Error& error);

// A member's text, or nothing when it is absent or something else; cut when too long.
[[nodiscard]] std::string text_member(const Json& object, std::string_view key,
                                      std::size_t longest = std::size_t{64} << 10);

}  // namespace helve::gateway
