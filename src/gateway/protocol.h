// The client side of MCP: capabilities, handshake and errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/channel.h"
#include "gateway/protocol.h"
#include "rpc/mcp_protocol.h"

namespace helve::gateway {

// The client features that servers may use.
struct Offers {
  bool questions = false;  // elicitation
  bool sampling = false;
  bool roots = true;
};

[[nodiscard]] Json client_info();
[[nodiscard]] Json client_capabilities(const Offers& offers);

// The facts that a server reports about itself in the handshake.
struct ServerFacts {
  std::string revision = {};
  std::string name = {};  // as the server reports it
  std::string version = {};
  std::string instructions = {};
  Json capabilities = JsonObject();

  [[nodiscard]] rpc::Protocol protocol() const { return rpc::protocol_of(revision); }
  // offers("tools"), offers("tools", "listChanged")
  [[nodiscard]] bool offers(std::string_view capability, std::string_view part = {}) const;
};

// Adds the _meta members that the stateless protocol requires: protocol version, client and capabilities.
[[nodiscard]] Json with_stateless_meta(Json params, std::string_view revision, const Offers& offers);

// Converts a failure that the server reported. The details hold its code and data.
[[nodiscard]] Error server_error(std::string_view server, const rpc::Failure& failure);
// The server's code in an error of server_error(), otherwise 0.
[[nodiscard]] std::int64_t server_error_code(const Error& error);

// A string member, shortened if it is too long. Empty if it is missing or not a string.
[[nodiscard]] std::string text_member(const Json& object, std::string_view key,
                                      std::size_t longest = std::size_t{64} << 10);

struct HandshakeOptions {
  std::string server = {};  // name for errors
  Offers offers = {};
  std::optional<rpc::Protocol> protocol = {};  // from an earlier run or the settings; empty: probe the server
  // How long to wait for server/discover before trying initialize.
  std::chrono::milliseconds probe_time{5'000};
  // Returns the id of the next request.
  std::function<std::int64_t()> next_id = {};
};

// Sends server/discover, then initialize if the server does not support it. Calls Channel::begin.
[[nodiscard]] Expected<ServerFacts> handshake(Channel& channel, const HandshakeOptions& options,
                                              const Terms& terms);
// Sends only initialize: for session-based servers, and to begin another session.
[[nodiscard]] Expected<ServerFacts> initialize(Channel& channel, const HandshakeOptions& options,
                                               const Terms& terms);

}  // namespace helve::gateway
