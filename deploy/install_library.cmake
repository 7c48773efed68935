# part library: libsagbend.so.0; part development: libsagbend.so, libsagbend.a, sagbend.h, sagbend.pc. Below /usr Debian has libraries in
# a folder of the processor's name; the prefix is known at installation: `cmake --install --prefix` and CPack change it.
# BUILD: folder with libraries and template; HEADER, TEMPLATE: files; version; multiarch: name of the processor's folder, or empty.
set(folder lib)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND multiarch AND EXISTS /etc/debian_version)
  set(folder lib/${multiarch})
endif()
set(libraries "${CMAKE_INSTALL_PREFIX}/${folder}")
if(part STREQUAL "library")
  file(INSTALL DESTINATION "${libraries}" TYPE SHARED_LIBRARY FILES ${BUILD}/libsagbend.so.${version} ${BUILD}/libsagbend.so.${major})
else()
  file(INSTALL DESTINATION "${libraries}" TYPE SHARED_LIBRARY FILES ${BUILD}/libsagbend.so)
  file(INSTALL DESTINATION "${libraries}" TYPE STATIC_LIBRARY FILES ${BUILD}/libsagbend.a)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/include" TYPE FILE FILES ${HEADER})
  configure_file(${TEMPLATE} ${BUILD}/sagbend.pc @ONLY)
  file(INSTALL DESTINATION "${libraries}/pkgconfig" TYPE FILE FILES ${BUILD}/sagbend.pc)
endif()
