#include "checkers/finding.h"

#include "base/utf8.h"

namespace helve::checkers {
namespace {

Json number_or_null(std::size_t number) { return number == 0 ? Json() : Json(number); }

void append_extent(JsonObject& json, const Extent& extent) {
  json.append("line", number_or_null(extent.line));
  json.append("column", number_or_null(extent.column));
  json.append("endLine", number_or_null(extent.end_line));
  json.append("endColumn", number_or_null(extent.end_column));
}

}  // namespace

std::string_view to_string(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "information", "hint"};
  return kNames[static_cast<std::size_t>(severity)];
}

Json to_json(const Finding& finding) {
  JsonObject json{{"path", to_valid_utf8(finding.path)}};
  append_extent(json, finding.extent);
  json.append("severity", to_string(finding.severity));
  json.append("code", finding.code.empty() ? Json() : Json(finding.code));
  json.append("source", finding.source);
  json.append("message", to_valid_utf8(finding.message));
  if (finding.fix.empty()) {
    json.append("fix", Json());
    return json;
  }
  JsonArray edits;
  for (const FixEdit& edit : finding.fix) {
    JsonObject one;
    append_extent(one, edit.extent);
    one.append("newText", to_valid_utf8(edit.new_text));
    edits.emplace_back(std::move(one));
  }
  json.append("fix", JsonObject{{"edits", std::move(edits)}});
  return json;
}

}  // namespace helve::checkers
