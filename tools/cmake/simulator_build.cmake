# Writes OUT, a C file with the build id of the linked PROGRAM, by which sagbend-verify knows the sagbend that it was made with.
# readelf of binutils 2.40 ends with 1 where there is also a note of a library that is loaded on demand.
execute_process(COMMAND ${READELF} -n ${PROGRAM} OUTPUT_VARIABLE notes)
if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
  message(FATAL_ERROR "${READELF} finds no build id in ${PROGRAM}")
endif()
set(id ${CMAKE_MATCH_1})
file(WRITE ${OUT} "extern const char simulator_build_id[];\nconst char simulator_build_id[] = \"${id}\";\n")
