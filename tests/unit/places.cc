#include "unit/places.h"

namespace helve::places {

std::string in_source(const std::string& path) { return HELVE_SOURCE "/" + path; }

const char kProgram[] = HELVE_PROGRAM;
const char kTestPlugins[] = HELVE_TEST_PLUGINS;
const char kFakeServer[] = HELVE_FAKE_SERVER;

}  // namespace helve::places
