// Finds out which era a server is of, and agrees with it on a revision.
#pragma once

#include <optional>
#include <string>

#include "gateway/channel.h"
#include "gateway/protocol.h"

namespace helve::gateway {

struct HandshakeOptions {
  std::string server = {};  // its name, for errors
  Offers offers = {};
  std::optional<rpc::Era> era = {};  // what it was the last time, or is said to be; else it is asked
  // After which a silent server is tried with initialize; one that is only slow gets a second chance.
  std::chrono::milliseconds probe_time{5'000};
  // Gives the next request its id.
  std::function<std::int64_t()> next_id = {};
};

// Sends server/discover, and initialize to a server that does not know it. The channel has begun when this
// returns.
[[nodiscard]] Expected<ServerFacts> shake_hands(Channel& channel, const HandshakeOptions& options,
                                                const Terms& terms);
// Only initialize: for servers that are known to be old, and for a new session.
[[nodiscard]] Expected<ServerFacts> initialize(Channel& channel, const HandshakeOptions& options,
                                               const Terms& terms);

}  // namespace helve::gateway
