// parse_json() is public: its declaration is in helve/json.h.
#pragma once

#include "helve/error.h"
#include "helve/json.h"
