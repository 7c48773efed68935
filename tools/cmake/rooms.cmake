# One static library per folder of src ("room"). A room sees only the headers of the rooms it links:
# each room is exposed through an include folder that holds nothing but a link to it, so that
# an include of a room that is not below fails to compile.
function(sagbend_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;BELOW;LIBRARIES;HIDDEN" ${ARGN})
  set(view ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${view}/${name} SYMBOLIC)
  add_library(${name} STATIC ${ROOM_SOURCES})
  target_include_directories(${name} PUBLIC ${view})
  target_link_libraries(${name} PUBLIC ${ROOM_BELOW} ${ROOM_LIBRARIES} PRIVATE ${ROOM_HIDDEN}) # hidden: not from the rooms above
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)
endfunction()
