# A room is one directory of a part of src and one static library. It declares the rooms that it includes. These stand above it in
# the part's CMakeLists.txt, or in a part above it in src/CMakeLists.txt, so that no cycle can form.
# room(NAME [FOLDER folder] [INTERNAL file] [BELOW room...] [LIBRARIES library...]): "pipe" in src/sagbend/CMakeLists.txt is the folder
# src/sagbend/pipe and the library sagbend_pipe. BELOW names a room of the same part by its name, another one as part/room.
# FOLDER: the folder below src, where it is another. INTERNAL: a list of headers of other rooms that this one may include besides.
function(room room)
  cmake_parse_arguments(ROOM "" "FOLDER;INTERNAL" "BELOW;LIBRARIES" ${ARGN})
  get_filename_component(part ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(source ${CMAKE_SOURCE_DIR}/src)
  set(name ${part}/${room})
  set(library ${part}_${room})
  if(ROOM_FOLDER)
    set(name ${ROOM_FOLDER})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${source}/${name}/*.c)
  list(FILTER sources EXCLUDE REGEX "/main\\.c$") # main.c belongs to the program that links the room
  file(GLOB headers CONFIGURE_DEPENDS ${source}/${name}/*.h)
  set(below)
  set(allowed)
  foreach(other ${ROOM_BELOW})
    get_property(other_library GLOBAL PROPERTY library_of_${part}/${other})
    if(other_library)
      string(PREPEND other ${part}/)
    else()
      get_property(other_library GLOBAL PROPERTY library_of_${other})
    endif()
    if(other MATCHES "^proto/(.+)") # generated
      set(other_library ${CMAKE_MATCH_1})
    endif()
    if(NOT TARGET ${other_library})
      message(FATAL_ERROR "room ${name}: ${other} is not a room that stands above it (CMakeLists.txt of src and of src/${part})")
    endif()
    list(APPEND allowed ${other})
    list(APPEND below ${other_library})
  endforeach()

  set_property(GLOBAL PROPERTY below_${library} "${below}")
  set_property(GLOBAL PROPERTY library_of_${name} ${library})

  # Before compilation, each include is checked against the declared rooms, and each declared room against the includes.
  set(checked ${CMAKE_BINARY_DIR}/rooms/${library}.checked)
  set(internal)
  if(ROOM_INTERNAL)
    set(internal ${CMAKE_CURRENT_SOURCE_DIR}/${ROOM_INTERNAL})
    set_property(GLOBAL APPEND PROPERTY sources_of_${ROOM_INTERNAL} ${sources} ${headers})
  endif()
  add_custom_command(OUTPUT ${checked} DEPENDS ${sources} ${headers} ${internal} ${CMAKE_SOURCE_DIR}/tools/cmake/check_includes.cmake
    COMMAND ${CMAKE_COMMAND} -DROOM=${name} "-DALLOWED=${allowed}" "-DINTERNAL=${internal}" -DSOURCE=${source} -DSTAMP=${checked}
            -P ${CMAKE_SOURCE_DIR}/tools/cmake/check_includes.cmake
    COMMENT "Checking the includes of ${name}" VERBATIM)

  add_library(${library} STATIC ${sources} ${checked})
  target_include_directories(${library} PUBLIC ${source})
  target_link_libraries(${library} PUBLIC ${below} ${ROOM_LIBRARIES})
  target_compile_definitions(${library} PRIVATE _POSIX_C_SOURCE=200809L)
  # What reads foreign bytes checks its buffers and its stack. The rooms that compute stay as they are.
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND (name MATCHES "^sagbend/(yaml|hydro|case|engine)$" OR NOT name MATCHES "^(sagbend|verification)(/|$)"))
    target_compile_options(${library} PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
  endif()
endfunction()

# room_closure(out library...): these libraries of rooms and all that are below them.
function(room_closure out)
  set(open ${ARGN})
  set(found)
  while(open)
    list(POP_FRONT open library)
    if(NOT library IN_LIST found)
      list(APPEND found ${library})
      get_property(below GLOBAL PROPERTY below_${library})
      list(APPEND open ${below})
    endif()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# check_internal(file target): each header of the list is included by one of the rooms that it serves; target: of such a room.
function(check_internal file target)
  get_property(sources GLOBAL PROPERTY sources_of_${file})
  set(stamp ${CMAKE_BINARY_DIR}/rooms/internal.checked)
  add_custom_command(OUTPUT ${stamp} DEPENDS ${sources} ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/tools/cmake/check_internal.cmake
    COMMAND ${CMAKE_COMMAND} -DLIST=${CMAKE_CURRENT_SOURCE_DIR}/${file} "-DSOURCES=${sources}" -DSTAMP=${stamp}
            -P ${CMAKE_SOURCE_DIR}/tools/cmake/check_internal.cmake
    COMMENT "Checking ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${stamp})
endfunction()

# What links a program: its main.c and its room.
function(program name room)
  get_filename_component(part ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  add_executable(${name} ${room}/main.c)
  target_link_libraries(${name} PRIVATE ${part}_${room})
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)
  target_link_options(${name} PRIVATE -Wl,--build-id=sha1) # src/os/cli/cli.h
  # Nothing writes to the table of functions after the start, and no symbol is looked up while the step runs.
  target_link_options(${name} PRIVATE -Wl,-z,relro,-z,now)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()
