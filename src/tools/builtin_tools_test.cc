// Rules that hold for every built-in tool.
#include <gtest/gtest.h>

#include "core/builtin_tools.h"
#include "helve/tool.h"
#include "settings/data_shape.h"

namespace helve {
namespace {

TEST(BuiltinTools, DeclareTheShapeOfTheirData) {
  for (const auto& tool : core::builtin_tools()) {
    const ToolDefinition& definition = tool->definition();
    EXPECT_FALSE(definition.data_shape.empty()) << definition.name;
    const auto made = settings::schema_of_shape(definition.data_shape);
    EXPECT_TRUE(made) << definition.name << ": " << (made ? "" : made.error().message);
  }
}

}  // namespace
}  // namespace helve
