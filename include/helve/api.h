// Symbol visibility of libhelve.
//
// Helve is built with hidden visibility. A public header opens its namespace with HELVE_API, so that the
// shared library exports what the header declares:
//
//   #include <helve/api.h>
//   namespace HELVE_API helve {
//   void exported();
//   }
//
// Plugins do not need it: they stand alone (helve/plugin.h).
#pragma once

#define HELVE_API [[gnu::visibility("default")]]  // NOLINT(cppcoreguidelines-macro-usage)
