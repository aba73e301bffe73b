#include "gateway/server_offers.h"

#include "base/json_read.h"
#include "base/strings.h"
#include "gateway/protocol.h"

namespace helve::gateway {
namespace {

constexpr std::string_view kScheme = "mcp://";
constexpr std::size_t kMostListed = 2'000;  // of one server
constexpr int kMostListPages = 50;

std::string uri_prefix(const std::string& label) { return concat(kScheme, label, "/"); }

// All pages of a list; what could be read, if a page fails.
JsonArray list_all(ServerLink& link, const std::string& method, std::string_view member, const Terms& terms) {
  JsonArray all;
  std::string cursor;
  for (int page = 0; page < kMostListPages && all.size() < kMostListed; ++page) {
    Json params = JsonObject();
    if (!cursor.empty()) params["cursor"] = cursor;
    const auto result = link.request(method, params, terms);
    const JsonArray* entries = result ? array_in(*result, member) : nullptr;
    if (entries == nullptr) break;
    for (const Json& entry : *entries)
      if (entry.is_object() && all.size() < kMostListed) all.push_back(entry);
    const std::string next = text_member(*result, "nextCursor");
    if (next.empty() || next == cursor) break;
    cursor = next;
  }
  return all;
}

// Calls `take` with each server that may have the capability, and starts them all first.
template <class Take>
void for_each_offering(const Gateway& gateway, std::string_view capability, const Take& take) {
  const auto links = gateway.links();
  for (const auto& [label, link] : links)
    if (link->may_offer(capability)) link->start();
  for (const auto& [label, link] : links)
    if (link->may_offer(capability)) take(label, *link);
}

JsonArray list_with_uris(const Gateway& gateway, const std::string& method, std::string_view member,
                         std::string_view uri_member, const Terms& terms) {
  JsonArray all;
  for_each_offering(gateway, "resources", [&](const std::string& label, ServerLink& link) {
    for (Json& entry : list_all(link, method, member, terms)) {
      const std::string uri = text_member(entry, uri_member);
      if (uri.empty()) continue;
      entry[uri_member] = concat(uri_prefix(label), uri);
      all.push_back(std::move(entry));
    }
  });
  return all;
}

std::vector<std::string> names_of_prompts(const JsonArray& prompts) {
  std::vector<std::string> names;
  for (const Json& prompt : prompts) names.push_back(text_member(prompt, "name"));
  return names;
}

std::vector<std::string> complete(ServerLink& link, Json reference, const std::string& argument,
                                  const std::string& value, const Terms& terms) {
  if (!link.may_offer("completions")) return {};
  const auto result = link.request("completion/complete",
                                   JsonObject{{"ref", std::move(reference)},
                                              {"argument", JsonObject{{"name", argument}, {"value", value}}}},
                                   terms);
  const Json* completion = result ? result->find("completion") : nullptr;
  const JsonArray* values = completion == nullptr ? nullptr : array_in(*completion, "values");
  std::vector<std::string> texts;
  if (values != nullptr)
    for (const Json& each : *values)
      if (each.is_string()) texts.push_back(each.as_string());
  return texts;
}

}  // namespace

JsonArray ServerOffers::resources(const Terms& terms) const {
  return list_with_uris(gateway_, "resources/list", "resources", "uri", terms);
}

JsonArray ServerOffers::templates(const Terms& terms) const {
  return list_with_uris(gateway_, "resources/templates/list", "resourceTemplates", "uriTemplate", terms);
}

JsonArray ServerOffers::prompts(const Terms& terms) const {
  JsonArray all;
  for_each_offering(gateway_, "prompts", [&](const std::string& label, ServerLink& link) {
    JsonArray prompts = list_all(link, "prompts/list", "prompts", terms);
    const std::vector<std::string> names = tool_names(label, names_of_prompts(prompts));
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      prompts[i]["name"] = names[i];
      all.push_back(std::move(prompts[i]));
    }
  });
  return all;
}

std::optional<ServerOffers::Named> ServerOffers::resource_named(const std::string& uri) const {
  const auto links = gateway_.links();
  for (const auto& [label, link] : links)
    if (const std::string prefix = uri_prefix(label); uri.starts_with(prefix))
      return Named{link, uri.substr(prefix.size())};
  for (const auto& [label, link] : links)
    if (link->has_linked(uri)) return Named{link, uri};
  return {};
}

std::optional<ServerOffers::Named> ServerOffers::prompt_named(const std::string& name,
                                                              const Terms& terms) const {
  for (const auto& [label, link] : gateway_.links()) {
    if (!name.starts_with(concat("mcp__", label, "__")) || !link->may_offer("prompts")) continue;
    const std::vector<std::string> originals =
        names_of_prompts(list_all(*link, "prompts/list", "prompts", terms));
    const std::vector<std::string> names = tool_names(label, originals);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return Named{link, originals[i]};
  }
  return {};
}

std::optional<Expected<JsonArray>> ServerOffers::read(const std::string& uri, const Terms& terms) const {
  const auto found = resource_named(uri);
  if (!found) return {};
  const auto result = found->link->request("resources/read", JsonObject{{"uri", found->name}}, terms);
  if (!result) return fail(result.error());
  JsonArray contents;
  if (const JsonArray* sent = array_in(*result, "contents")) contents = *sent;
  // The client knows the resource by the URI that it asked for.
  for (Json& part : contents)
    if (part.is_object() && text_member(part, "uri") == found->name) part["uri"] = uri;
  return contents;
}

std::optional<Expected<Json>> ServerOffers::get_prompt(const std::string& name, const Json& arguments,
                                                       const Terms& terms) const {
  const auto found = prompt_named(name, terms);
  if (!found) return {};
  Json params = JsonObject{{"name", found->name}};
  if (arguments.is_object() && !arguments.as_object().empty()) params["arguments"] = arguments;
  auto result = found->link->request("prompts/get", params, terms);
  if (result) result->as_object().erase("resultType");
  return result;
}

std::vector<std::string> ServerOffers::complete_prompt(const std::string& name, const std::string& argument,
                                                       const std::string& value, const Terms& terms) const {
  const auto found = prompt_named(name, terms);
  if (!found) return {};
  return complete(*found->link, JsonObject{{"type", "ref/prompt"}, {"name", found->name}}, argument, value,
                  terms);
}

std::vector<std::string> ServerOffers::complete_template(const std::string& uri_template,
                                                         const std::string& argument,
                                                         const std::string& value, const Terms& terms) const {
  const auto found = resource_named(uri_template);
  if (!found) return {};
  return complete(*found->link, JsonObject{{"type", "ref/resource"}, {"uri", found->name}}, argument, value,
                  terms);
}

}  // namespace helve::gateway
