# Writes OUT, a C file with the build id of the linked PROGRAM, by which sagbend-verify knows the sagbend that it was made with.
execute_process(COMMAND ${READELF} -n ${PROGRAM} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
set(id unknown)
if(notes MATCHES "Build ID: ([0-9a-f]+)")
  set(id ${CMAKE_MATCH_1})
endif()
file(WRITE ${OUT} "extern const char simulator_build_id[];\nconst char simulator_build_id[] = \"${id}\";\n")
