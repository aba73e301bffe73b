// The envelope as JSON.
#include "helve/result.h"

#include "base/base64.h"

namespace helve {

Json Answer::to_json() const {
  JsonObject envelope{{"ok", ok()}};
  JsonObject meta{{"truncated", ok() && result->truncated}, {"executionTimeMs", execution_time_ms}};
  JsonArray affected;
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
    for (const std::string& path : result->affected_paths) affected.emplace_back(path);
  } else {
    envelope.append("error", result.error().to_json());
  }
  meta.append("affectedPaths", std::move(affected));
  envelope.append("meta", std::move(meta));
  return envelope;
}

}  // namespace helve
