# The modules, from the list that scripts/check enforces.
file(STRINGS "${PROJECT_SOURCE_DIR}/scripts/layers" HELVE_MODULES REGEX "^[a-z]")
list(TRANSFORM HELVE_MODULES REPLACE "[^a-z_].*" "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scripts/layers")
