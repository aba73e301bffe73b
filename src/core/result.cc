// The envelope as JSON.
#include "helve/result.h"

#include "base/base64.h"

namespace helve {
namespace {

Json meta_of(const Answer& answer) {
  JsonArray affected;
  if (answer.ok())
    for (const std::string& path : answer.result->affected_paths) affected.emplace_back(path);
  return JsonObject{{"truncated", answer.ok() && answer.result->truncated},
                    {"executionTimeMs", answer.execution_time_ms},
                    {"affectedPaths", std::move(affected)}};
}

}  // namespace

Json Answer::to_json() const {
  JsonObject envelope{{"ok", ok()}};
  if (ok()) {
    envelope.append("summary", result->summary);
    envelope.append("content", result->content);
    envelope.append("data", result->data.is_null() ? Json(JsonObject()) : result->data);
    if (!result->images.empty()) {
      JsonArray images;
      for (const Image& image : result->images)
        images.push_back(JsonObject{{"mimeType", image.mime_type}, {"data", to_base64(image.bytes)}});
      envelope.append("images", std::move(images));
    }
  } else {
    envelope.append("error", result.error().to_json());
  }
  envelope.append("meta", meta_of(*this));
  if (!tool.empty()) envelope.append("tool", tool);
  return envelope;
}

Json Answer::head_json() const {
  return JsonObject{{"ok", ok()},
                    {"summary", ok() ? result->summary : result.error().message},
                    {"meta", meta_of(*this)},
                    {"tool", tool}};
}

}  // namespace helve
