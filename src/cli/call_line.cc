#include "cli/call_line.h"

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::cli {
namespace {

using terminal::Colour;
using terminal::Line;

// The time stays whatever else is cut.
Line fitted(Line line, const std::string& time, std::size_t columns) {
  const std::size_t room = columns > time.size() + 2 ? columns - time.size() - 2 : 0;
  line = cut_line(line, room);
  line.add(concat("  ", time), {Colour::kDim});
  return line;
}

bool has_failed(const ToolEvent& event) {
  if (event.kind == ToolEvent::Kind::kError) return true;
  if (!event.answer || !event.answer->ok() || event.tool != "exec") return false;
  const Json* code = event.answer->result->data.find("exitCode");
  return code != nullptr && code->is_number() && *code != Json(0);
}

}  // namespace

std::string call_subject(std::string_view tool, std::string_view params) {
  constexpr std::size_t kLongest = 400;
  const auto json = parse_json(params);
  if (!json || !json->is_object()) return shortened(params, kLongest);
  if (tool == "grep" || tool == "find") {
    const std::string path = text_in(*json, "path");
    return shortened(
        concat(text_in(*json, "pattern"), path.empty() || path == "." ? "" : concat(" in ", path)), kLongest);
  }
  if (tool == "process")
    return shortened(concat(text_in(*json, "action"), " ", text_in(*json, "sessionId")), kLongest);
  for (const std::string_view name : {"command", "path", "question", "name", "query", "symbol"})
    if (const std::string value = text_in(*json, name); !value.empty()) return shortened(value, kLongest);
  // A patch is not for one line.
  if (json->find("patch") != nullptr) return {};
  return json->as_object().empty() ? std::string() : shortened(params, kLongest);
}

std::string duration_text(std::chrono::milliseconds time) {
  const auto count = time.count();
  if (count < 9'950) {
    const auto tenths = (count + 50) / 100;
    return concat(tenths / 10, ".", tenths % 10, " s");
  }
  const auto seconds = (count + 500) / 1000;
  if (seconds < 120) return concat(seconds, " s");
  return concat(seconds / 60, ":", seconds % 60 < 10 ? "0" : "", seconds % 60);
}

Line running_line(std::string_view spinner, std::string_view tool, std::string_view subject,
                  std::chrono::milliseconds time, std::size_t columns) {
  Line line(concat(spinner, " "), {Colour::kCyan});
  line.add(tool, {.bold = true}).add(subject.empty() ? "" : " ").add(subject);
  return fitted(std::move(line), duration_text(time), columns);
}

Line ended_line(const ToolEvent& event, std::string_view subject, std::size_t columns) {
  const bool failed = has_failed(event);
  Line line(failed ? "✗ " : "✓ ", {failed ? Colour::kRed : Colour::kGreen});
  line.add(event.tool, {.bold = true});
  // The first line is enough; all of it is a key away.
  std::string said(trim(event.response.substr(0, event.response.find('\n'))));
  // How long a command took is told beside it.
  if (const std::size_t after = said.find(" after "); event.tool == "exec" && after != std::string::npos)
    said.erase(after, std::min(said.find(',', after), said.size()) - after);
  // Many summaries begin with what the call was about; otherwise both get their share.
  const bool named = said.starts_with(subject);
  if (!subject.empty() && !named) {
    const std::size_t share = said.empty() ? columns : std::max<std::size_t>(columns / 2, 22) - 10;
    line.add(" ").add(cut_line(Line(subject), share));
  }
  if (!said.empty()) line.add(concat(named ? " " : "  ", said), {failed ? Colour::kRed : Colour::kDim});
  const auto time = std::chrono::milliseconds(event.answer ? event.answer->execution_time_ms : 0);
  return fitted(std::move(line), duration_text(time), columns);
}

}  // namespace helve::cli
