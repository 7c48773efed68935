# The binary of exported FMUs: the objects of the library and the functions of FMI 2.0 and 3.0 in one shared object, which an FMU brings to
# machines that have neither libyaml nor libcjson. It stands beside the programs; an installation has it below its folder of libraries.
set(SAGBEND_FMU_FROM_PROGRAM ../lib/sagbend/sagbend_fmu.so) # CPack changes the prefix after this
if(SAGBEND_SHARED)
  find_library(YAML_ARCHIVE libyaml.a REQUIRED)
  set(objects)
  shared_objects(objects fmu)
  foreach(room ${library_rooms})
    list(APPEND objects $<TARGET_OBJECTS:${room}_shared>)
  endforeach()
  set(map ${CMAKE_CURRENT_BINARY_DIR}/sagbend_fmu.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "{\n  global:\n    fmi2*;\n    fmi3*;\n  local:\n    *;\n};\n")
  add_library(sagbend_fmu MODULE ${objects})
  set_target_properties(sagbend_fmu PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LINK_DEPENDS "${map}" LINKER_LANGUAGE C)
  target_link_options(sagbend_fmu PRIVATE -Wl,--version-script=${map} -Wl,--build-id=sha1 -Wl,-z,defs -Wl,-z,relro,-z,now)
  target_link_libraries(sagbend_fmu PRIVATE ${YAML_ARCHIVE} m)
endif()
