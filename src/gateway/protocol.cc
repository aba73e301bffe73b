#include "gateway/protocol.h"

#include "base/strings.h"
#include "base/utf8.h"
#include "helve/runtime.h"

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

Json with_modern_meta(Json params, std::string_view revision, const Offers& offers) {
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
                     failure.message.empty() ? "it gives no reason"
                                             : shortened(to_valid_utf8(failure.message), kLongestMessage),
                     " (code ", failure.code, ")")};
  if (failure.code == rpc::kInvalidParams) error.code = ErrorCode::kInvalidArgument;
  error.details = JsonObject{{"kind", "MCP_ERROR"}, {"server", server}, {"code", failure.code}};
  if (!failure.data.is_null()) error.details["data"] = failure.data;
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

}  // namespace helve::gateway
