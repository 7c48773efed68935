# What hosts link: libsagbend.so.0, and libsagbend.a for those who link everything statically. Both show the functions of a list and nothing
# else. They have the objects of the programs, which are position-independent with hidden names for it: a step then takes at most
# 0.03 % more instructions (vessel-only; jlay-900m and osv-83m-lay below 0.01 %).

# shared_of_rooms(target kind script room...): a shared object in the folder of the programs, of the objects of these rooms; it shows the
# names of this version script and nothing else. kind: SHARED or MODULE.
function(shared_of_rooms target kind script)
  set(objects)
  foreach(room ${ARGN})
    set_target_properties(${room} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "${script}\n")
  add_library(${target} ${kind} ${objects})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LINK_DEPENDS "${map}" LINKER_LANGUAGE C)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--build-id=sha1 -Wl,-z,defs -Wl,-z,relro,-z,now)
endfunction()

# hosts_library(symbols room...): both libraries, in the folder of the programs.
function(hosts_library symbols)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${symbols})
  file(STRINGS ${symbols} names REGEX "^[a-z]")
  list(JOIN names ";\n    " exported)
  shared_of_rooms(sagbend_shared SHARED "SAGBEND_${PROJECT_VERSION_MAJOR} {\n  global:\n    ${exported};\n  local:\n    *;\n};" ${ARGN})
  set_target_properties(sagbend_shared PROPERTIES OUTPUT_NAME sagbend VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_include_directories(sagbend_shared INTERFACE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(sagbend_shared PRIVATE PkgConfig::YAML m)

  # The archive: one object, in which every other name is local, so that a host may have a function `fail` of its own.
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  set(archive ${CMAKE_BINARY_DIR}/libsagbend.a)
  set(whole ${CMAKE_CURRENT_BINARY_DIR}/libsagbend.o)
  add_custom_command(OUTPUT ${archive} DEPENDS ${objects} ${symbols} VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${symbols} ${whole}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcsD ${archive} ${whole}
    COMMENT "Joining libsagbend.a")
  add_custom_target(sagbend_archive ALL DEPENDS ${archive})
endfunction()
