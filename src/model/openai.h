// The Chat Completions API: OpenAI's own, and what most other servers offer.
#pragma once

#include <memory>

#include "model/dialect.h"

namespace helve::model {

struct OpenaiOptions {
  // OpenAI's newer models refuse max_tokens, and other servers do not know max_completion_tokens.
  bool new_limit_name = false;
};

[[nodiscard]] std::unique_ptr<Dialect> openai_dialect(OpenaiOptions options = {});

}  // namespace helve::model
