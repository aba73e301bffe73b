#include "mcp/tool_search.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "mcp/active_request.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kFind = "find_tools";
constexpr std::string_view kUse = "use_tool";
constexpr std::int64_t kUsual = 5;
constexpr std::int64_t kMost = 20;
constexpr std::size_t kShortestWord = 3;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool is_word_byte(char c) { return is_lower(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80; }

// "Rename_symbol everywhere" → rename, symbol, everywhere
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : to_lower(text)) {
    if (is_word_byte(c) && !inside) words.emplace_back();
    inside = is_word_byte(c);
    if (inside) words.back() += c;
  }
  return words;
}

// Words match if one begins with the other, so that "files" finds "file".
bool matches(const std::string& one, const std::string& other) {
  if (one == other) return true;
  return std::min(one.size(), other.size()) >= kShortestWord &&
         (one.starts_with(other) || other.starts_with(one));
}

bool has_match(const std::vector<std::string>& words, const std::string& wanted) {
  return std::ranges::any_of(words, [&](const std::string& own) { return matches(own, wanted); });
}

struct ToolWords {
  std::vector<std::string> name;
  std::vector<std::string> summary;  // the first line of the description
  std::vector<std::string> all;      // the name and the description

  explicit ToolWords(const Json& tool)
      : name(words_of(text_in(tool, "name"))),
        summary(words_of(first_line(text_in(tool, "description")))),
        all(words_of(concat(text_in(tool, "name"), " ", text_in(tool, "description")))) {}
};

struct WantedWord {
  std::string word;
  double weight = 0;  // lower for words that many tools have
};

// The first words of a summary say what the tool does, so they count more.
double points_in(const std::vector<std::string>& summary, const std::string& wanted) {
  constexpr std::ptrdiff_t kBeginning = 4;
  const auto found =
      std::ranges::find_if(summary, [&](const std::string& own) { return matches(own, wanted); });
  if (found == summary.end()) return 0;
  if (found == summary.begin()) return 7;
  return found - summary.begin() < kBeginning ? 4 : 3;
}

// Matches count in this order: name, first word of the summary, rest of the summary, rest of the description.
// The sum is scaled by the share of query words that match.
double score(const ToolWords& tool, const std::vector<WantedWord>& wanted) {
  double sum = 0;
  double all = 0;
  double matched = 0;
  for (const auto& [word, weight] : wanted) {
    all += weight;
    const bool is_in_name = has_match(tool.name, word);
    // Short words such as "a" count only in names, because of names like "ls".
    if (!is_in_name && (word.size() < kShortestWord || !has_match(tool.all, word))) continue;
    matched += weight;
    double points = 1;
    if (is_in_name) points += 6.0 / static_cast<double>(tool.name.size());
    if (word.size() >= kShortestWord) points += points_in(tool.summary, word);
    sum += weight * points;
  }
  return all > 0 ? sum * matched / all : 0;
}

Json text_result(std::string text, bool is_error = false) {
  Json result = JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", std::move(text)}}}}};
  if (is_error) result["isError"] = true;
  return result;
}

// All names with their summaries, for queries without a match.
std::string catalogue(const JsonArray& tools) {
  std::string text;
  for (const Json& tool : tools)
    text += concat(text_in(tool, "name"), ": ", first_line(text_in(tool, "description")), "\n");
  return text;
}

Json find_definition() {
  return JsonObject{
      {"name", kFind},
      {"description",
       "Find tools by what they do, with their parameters: files, search, commands, code and more.\n"
       "Describe the task in a few words. Found tools can then be called by name or through use_tool."},
      {"inputSchema",
       JsonObject{
           {"type", "object"},
           {"properties",
            JsonObject{
                {"query", JsonObject{{"type", "string"},
                                     {"description",
                                      "What the tool should do, e.g. \"edit a file\"; empty "
                                      "lists all names."}}},
                {"maxResults",
                 JsonObject{{"type", "integer"}, {"minimum", 1}, {"maximum", kMost}, {"default", kUsual}}}}},
           {"required", JsonArray{"query"}}}},
      {"annotations", JsonObject{{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

Json use_definition() {
  return JsonObject{
      {"name", kUse},
      {"description", "Call a tool that find_tools returned, with its arguments."},
      {"inputSchema", JsonObject{{"type", "object"},
                                 {"properties", JsonObject{{"tool", JsonObject{{"type", "string"}}},
                                                           {"arguments", JsonObject{{"type", "object"}}}}},
                                 {"required", JsonArray{"tool", "arguments"}}}},
      {"annotations",
       JsonObject{{"readOnlyHint", false}, {"destructiveHint", true}, {"openWorldHint", true}}}};
}

}  // namespace

std::vector<Json> matching_tools(const JsonArray& tools, std::string_view query, std::size_t most) {
  std::vector<ToolWords> words;
  words.reserve(tools.size());
  for (const Json& tool : tools) words.emplace_back(tool);
  std::vector<WantedWord> wanted;
  for (std::string& word : words_of(query)) {
    const auto having =
        std::ranges::count_if(words, [&](const ToolWords& tool) { return has_match(tool.all, word); });
    if (having == 0) continue;
    const double weight =
        std::log2(1 + static_cast<double>(tools.size()) / static_cast<double>(having)) - 0.9;
    wanted.push_back({std::move(word), weight});
  }
  std::vector<std::pair<double, const Json*>> scored;
  for (std::size_t i = 0; i < tools.size(); ++i)
    if (const double points = score(words[i], wanted); points > 0) scored.emplace_back(points, &tools[i]);
  std::ranges::stable_sort(scored, std::greater(), &std::pair<double, const Json*>::first);
  std::vector<Json> best;
  for (std::size_t i = 0; i < std::min(most, scored.size()); ++i) best.push_back(*scored[i].second);
  return best;
}

JsonArray ToolSearch::list(ActiveRequest& request) {
  JsonArray listed{find_definition(), use_definition()};
  for (Json& tool : all_.list(request))
    if (request.client().has_loaded(text_in(tool, "name"))) listed.push_back(std::move(tool));
  return listed;
}

std::optional<OfferedTool> ToolSearch::own(const std::string& name) {
  if (name == kFind)
    return OfferedTool{.call = [this](ActiveRequest& request, const Json& arguments) {
      return find_tools(request, arguments);
    }};
  if (name == kUse)
    return OfferedTool{.task_support = TaskSupport::kOptional,
                       .call = [this](ActiveRequest& request, const Json& arguments) {
                         return use_tool(request, arguments);
                       }};
  return {};
}

std::optional<OfferedTool> ToolSearch::find(const std::string& name) {
  auto tool = own(name);
  return tool ? std::move(tool) : all_.find(name);
}

std::expected<OfferedTool, rpc::Failure> ToolSearch::wait_for(ActiveRequest& request,
                                                              const std::string& name) {
  if (auto tool = own(name)) return *std::move(tool);
  return all_.wait_for(request, name);
}

Outcome ToolSearch::find_tools(ActiveRequest& request, const Json& arguments) {
  const Json* query = arguments.find("query");
  if (query == nullptr || !query->is_string())
    return text_result(
        "INVALID_ARGUMENT: `query` must be a string. Describe in a few words what the tool should do.", true);
  std::int64_t most = kUsual;
  if (const Json* number = arguments.find("maxResults");
      number != nullptr && (!number->is_number() || !number->fits_int64(most) || most < 1 || most > kMost))
    return text_result(concat("INVALID_ARGUMENT: `maxResults` must be from 1 to ", kMost, "."), true);
  const JsonArray all = all_.list(request);
  const std::vector<Json> found = matching_tools(all, query->as_string(), static_cast<std::size_t>(most));
  if (found.empty())
    return text_result(concat(trim(query->as_string()).empty()
                                  ? std::string("All tools:\n")
                                  : concat("No tool matches \"", query->as_string(), "\". All tools:\n"),
                              catalogue(all)));
  std::vector<std::string> names;
  std::string text;
  for (const Json& tool : found) {
    names.push_back(text_in(tool, "name"));
    text += concat(names.back(), ": ", text_in(tool, "description"),
                   "\nParameters: ", to_text(*tool.find("inputSchema")), "\n\n");
  }
  text += "Call them by name if your tool list has them now, otherwise through use_tool.\n";
  if (request.client().load_tools(names) && !request.info().is_stateless())
    request.client().send(to_json(rpc::Notification{"notifications/tools/list_changed", {}}));
  return text_result(std::move(text));
}

Outcome ToolSearch::use_tool(ActiveRequest& request, const Json& arguments) {
  const Json* tool = arguments.find("tool");
  const Json* given = arguments.find("arguments");
  if (tool == nullptr || !tool->is_string() || (given != nullptr && !given->is_object()))
    return text_result("INVALID_ARGUMENT: `tool` must be a tool name, and `arguments` an object.", true);
  const auto found = all_.wait_for(request, tool->as_string());
  if (!found && found.error().code == rpc::kInvalidParams)
    return text_result(concat("UNKNOWN_TOOL: ", found.error().message, " Search with find_tools."), true);
  if (!found) return std::unexpected(found.error());
  return found->call(request, given != nullptr ? *given : Json(JsonObject()));
}

}  // namespace helve::mcp
