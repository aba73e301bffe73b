#include "gateway/tool_names.h"

#include <algorithm>
#include <map>

#include "base/sha256.h"
#include "base/strings.h"

namespace helve::gateway {
namespace {

constexpr std::size_t kLongestLabel = 32;
constexpr std::size_t kHashDigits = 8;

std::string cleaned(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    out += fine ? c : '_';
  }
  return out.empty() ? "_" : out;
}

std::string with_hash(std::string name, std::string_view original, std::size_t longest) {
  name.resize(std::min(name.size(), longest - kHashDigits - 1));
  return concat(name, "_", sha256_hex(original).substr(0, kHashDigits));
}

// Names that occur once stay; of those that are alike, the one that is its own original does too.
std::vector<std::string> made_different(std::vector<std::string> names,
                                        const std::vector<std::string>& originals, std::size_t longest) {
  std::map<std::string, int> counts;
  for (const std::string& name : names) ++counts[name];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].size() > longest || (counts[names[i]] > 1 && !names[i].ends_with(originals[i])))
      names[i] = with_hash(names[i], originals[i], longest);
  return names;
}

}  // namespace

std::vector<std::string> server_labels(const std::vector<std::string>& servers) {
  std::vector<std::string> labels;
  for (const std::string& server : servers) {
    std::string label = cleaned(server);
    // Two of them stand between server and tool.
    while (label.find("__") != std::string::npos) label = replace_all(label, "__", "_");
    labels.push_back(std::move(label));
  }
  return made_different(std::move(labels), servers, kLongestLabel);
}

std::vector<std::string> tool_names(std::string_view label, const std::vector<std::string>& tools) {
  std::vector<std::string> names;
  for (const std::string& tool : tools) names.push_back(concat("mcp__", label, "__", cleaned(tool)));
  return made_different(std::move(names), tools, kLongestToolName);
}

}  // namespace helve::gateway
