// Where unit tests find files and programs. The values are compiled into places.cc alone, so that a checkout
// in another folder finds the other tests' objects in ccache.
#ifndef HELVE_TESTS_UNIT_PLACES_H_
#define HELVE_TESTS_UNIT_PLACES_H_

#include <string>

namespace helve::places {

// `path` is below the checkout: "tests/policy".
std::string in_source(const std::string& path);

extern const char kProgram[];      // the helve program
extern const char kTestPlugins[];  // the folder of the plugins made for tests
extern const char kFakeServer[];   // an MCP server with faults that its arguments choose

}  // namespace helve::places

#endif  // HELVE_TESTS_UNIT_PLACES_H_
