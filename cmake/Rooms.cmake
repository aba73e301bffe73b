# The rooms, from the list that scripts/check goes by.
file(STRINGS "${PROJECT_SOURCE_DIR}/scripts/layers" HELVE_ROOMS REGEX "^[a-z]")
list(TRANSFORM HELVE_ROOMS REPLACE "[^a-z_].*" "")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scripts/layers")
