#include "gateway/protocol.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/http_traffic.h"
#include "helve/runtime_class.h"

namespace helve::gateway {

Json client_info() { return JsonObject{{"name", "helve"}, {"title", "Helve"}, {"version", version()}}; }

Json client_capabilities(const Offers& offers) {
  Json capabilities = JsonObject();
  if (offers.roots) capabilities["roots"] = JsonObject();
  if (offers.questions)
    capabilities["elicitation"] = JsonObject{{"form", JsonObject()}, {"url", JsonObject()}};
  if (offers.sampling) capabilities["sampling"] = JsonObject();
  return capabilities;
}

bool ServerFacts::offers(std::string_view capability, std::string_view part) const {
  const Json* found = capabilities.find(capability);
  if (found == nullptr || !found->is_object()) return false;
  if (part.empty()) return true;
  const Json* value = found->find(part);
  return value != nullptr && value->is_bool() && value->as_bool();
}

Json with_stateless_meta(Json params, std::string_view revision, const Offers& offers) {
  Json& meta = params["_meta"];
  meta[rpc::kMetaRevision] = revision;
  meta[rpc::kMetaClientInfo] = client_info();
  meta[rpc::kMetaClientCapabilities] = client_capabilities(offers);
  return params;
}

Error server_error(std::string_view server, const rpc::Failure& failure) {
  constexpr std::size_t kLongestMessage = 4000;
  Error error{ErrorCode::kExecutionFailed,
              concat("The MCP server ", server, " refused: ",
                     failure.message.empty() ? "no reason given"
                                             : shortened(to_valid_utf8(failure.message), kLongestMessage),
                     " (code ", failure.code, ")")};
  if (failure.code == rpc::kInvalidParams) error.code = ErrorCode::kInvalidArgument;
  error.details = JsonObject{{"server", server}, {"code", failure.code}};
  if (!failure.data.is_null()) error.details["data"] = failure.data;
  error.kind = ErrorKind::kMcpError;
  return error;
}

std::int64_t server_error_code(const Error& error) {
  const Json* code = error.details.find("code");
  std::int64_t number = 0;
  return code != nullptr && code->is_number() && code->fits_int64(number) ? number : 0;
}

std::string text_member(const Json& object, std::string_view key, std::size_t longest) {
  const Json* value = object.find(key);
  if (value == nullptr || !value->is_string()) return {};
  return value->as_string().size() <= longest ? value->as_string() : shortened(value->as_string(), longest);
}

namespace {

Expected<rpc::Response> send(Channel& channel, const HandshakeOptions& options, std::string method,
                             Json params, Terms terms, bool stateless) {
  terms.sends_cancellation = false;
  terms.stateless = stateless;
  return channel.exchange({.id = options.next_id(), .method = std::move(method), .params = std::move(params)},
                          terms);
}

void take_server_info(const Json& result, ServerFacts& facts) {
  const Json* info = result.find("serverInfo");
  if (const Json* meta = result.find("_meta"); info == nullptr && meta != nullptr)
    info = meta->find(rpc::kMetaServerInfo);
  if (info != nullptr) {
    facts.name = text_member(*info, "name", 200);
    facts.version = text_member(*info, "version", 200);
  }
  facts.instructions = text_member(result, "instructions");
  if (const Json* capabilities = result.find("capabilities");
      capabilities != nullptr && capabilities->is_object())
    facts.capabilities = *capabilities;
}

bool lists_stateless(const Json* revisions) {
  return revisions != nullptr && revisions->is_array() &&
         std::ranges::any_of(revisions->as_array(), [](const Json& revision) {
           return revision.is_string() && revision.as_string() == rpc::kStatelessRevision;
         });
}

// Session-based servers refuse a request outside of a session with various statuses, often without a message.
bool refused_over_http(const Error& error) {
  const int status = http_status(error);
  return status >= 400 && status < 500 && status != 401 && status != 403;
}

// The result of server/discover. Nothing if the server is session-based; an error if initialize would fail,
// too.
Expected<std::optional<ServerFacts>> discover(Channel& channel, const HandshakeOptions& options,
                                              const Terms& terms) {
  constexpr int kAttempts = 2;  // a server may ask for a version even if it is the one we sent
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto reply =
        send(channel, options, "server/discover",
             with_stateless_meta(JsonObject(), rpc::kStatelessRevision, options.offers), terms, true);
    if (!reply && refused_over_http(reply.error())) return std::nullopt;
    if (!reply) return fail(reply.error());
    if (!reply->failure) {
      // Some servers answer every request with an empty result.
      if (!lists_stateless(reply->result.find("supportedVersions"))) return std::nullopt;
      ServerFacts facts{.revision = std::string(rpc::kStatelessRevision)};
      take_server_info(reply->result, facts);
      channel.begin(facts.revision);
      return facts;
    }
    const bool wants_stateless = reply->failure->code == rpc::kUnsupportedRevision &&
                                 lists_stateless(reply->failure->data.find("supported"));
    if (!wants_stateless) return std::nullopt;
  }
  return std::nullopt;
}

bool was_silent(const Error& error, const Terms& terms) {
  return error.code == ErrorCode::kTimeout && Clock::now() < terms.deadline;
}

}  // namespace

Expected<ServerFacts> initialize(Channel& channel, const HandshakeOptions& options, const Terms& terms) {
  Json params = JsonObject{{"protocolVersion", rpc::kNewestSessionRevision},
                           {"capabilities", client_capabilities(options.offers)},
                           {"clientInfo", client_info()}};
  auto reply = send(channel, options, "initialize", std::move(params), terms, false);
  if (!reply) return fail(reply.error());
  if (reply->failure) return fail(server_error(options.server, *reply->failure));
  ServerFacts facts{.revision = text_member(reply->result, "protocolVersion", 100)};
  if (!rpc::is_known_revision(facts.revision))
    return fail(ErrorCode::kUnavailable,
                concat("The MCP server ", options.server, " uses protocol version \"", facts.revision,
                       "\", which is not supported."),
                concat("Supported are ", rpc::kRevisions.back(), " to ", rpc::kRevisions.front(),
                       ". Use another version of the server."));
  // A server that answers initialize is session-based, whatever version it reports.
  if (facts.protocol() == rpc::Protocol::kStateless) facts.revision = rpc::kNewestSessionRevision;
  take_server_info(reply->result, facts);
  channel.begin(facts.revision);
  if (auto sent = channel.notify({.method = "notifications/initialized"}); !sent) return fail(sent.error());
  return facts;
}

Expected<ServerFacts> handshake(Channel& channel, const HandshakeOptions& options, const Terms& terms) {
  if (options.protocol == rpc::Protocol::kSessionBased) return initialize(channel, options, terms);
  Terms probe = terms;
  probe.deadline = std::min(terms.deadline, Clock::now() + options.probe_time);
  auto discovered = discover(channel, options, options.protocol ? terms : probe);
  if (discovered && *discovered) return **std::move(discovered);
  if (!discovered && !was_silent(discovered.error(), terms)) return fail(discovered.error());
  auto initialized = initialize(channel, options, terms);
  if (initialized || discovered) return initialized;
  // It did not answer the probe in time and refuses initialize: a slow stateless server.
  if (server_error_code(initialized.error()) == 0) return initialized;
  discovered = discover(channel, options, terms);
  if (discovered && *discovered) return **std::move(discovered);
  return initialized;
}

}  // namespace helve::gateway
