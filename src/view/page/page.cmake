# The page of sagbend-view, embedded in the room's library (page_files.h). It is built with npm in the build directory: `npm ci`
# with the lock file, then tsc and esbuild, each again only if something changed. Without npm, or if the registry cannot be
# reached, the library is empty and the program serves the protocol only.
set(page_dir ${CMAKE_CURRENT_SOURCE_DIR}/page)
set(page_out ${CMAKE_BINARY_DIR}/view_page)
set(page_usual ON)
if(SAGBEND_SANITIZE OR SAGBEND_TSAN OR SAGBEND_RTSAN OR SAGBEND_FUZZ OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(page_usual OFF) # checks of C code
endif()
option(SAGBEND_PAGE "build the page of sagbend-view, with npm" ${page_usual})
find_program(NPM npm)
find_program(NODE NAMES node nodejs)

file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${page_dir}/*.ts ${page_dir}/*.css ${page_dir}/*.html ${page_dir}/*.mjs
     ${page_dir}/*.json)
list(FILTER page_sources EXCLUDE REGEX "/(node_modules|dist)/")
set(page_npm)
if(SAGBEND_PAGE AND NPM AND NODE)
  set(page_npm ${NPM})
elseif(SAGBEND_PAGE)
  message(STATUS "npm is not installed: sagbend-view is built without its page and serves the protocol only")
endif()

# The types of the messages follow their descriptors (messages.mjs).
set(page_descriptors ${CMAKE_BINARY_DIR}/proto/session.desc ${CMAKE_BINARY_DIR}/proto/telemetry.desc ${CMAKE_BINARY_DIR}/proto/operator.desc)
add_custom_command(OUTPUT ${page_out}/page_files.c
  COMMAND ${CMAKE_COMMAND} -DPAGE=${page_dir} -DOUT=${page_out} "-DNPM=${page_npm}" "-DNODE=${NODE}"
          "-DDESCRIPTORS=${page_descriptors}" -P ${page_dir}/build_page.cmake
  DEPENDS ${page_sources} ${page_descriptors} ${page_dir}/.npmrc ${page_dir}/build_page.cmake
  COMMENT "Building the page of sagbend-view" VERBATIM)
target_sources(view_page PRIVATE ${page_out}/page_files.c)
