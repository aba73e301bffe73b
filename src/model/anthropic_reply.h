// Replies of the Messages API, put together from blocks that come by index.
#pragma once

#include <memory>

#include "model/dialect.h"

namespace helve::model {

[[nodiscard]] std::unique_ptr<ReplyReader> anthropic_reader(const Listener& listener,
                                                            const Addressee& addressee);

}  // namespace helve::model
