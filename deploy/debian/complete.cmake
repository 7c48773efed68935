# Run by cpack on the staged files of each package: the manual compressed; changelog, copyright and lintian's overrides added.
set(version ${CPACK_DEBIAN_PACKAGE_VERSION})
if(NOT version)
  set(version ${CPACK_PACKAGE_VERSION})
endif()
string(APPEND version -${CPACK_DEBIAN_PACKAGE_RELEASE})
execute_process(COMMAND date -u -R -d ${CPACK_SAGBEND_DATE} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)

function(compress)
  execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# What Debian asks of each package.
foreach(component ${CPACK_COMPONENTS_ALL})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(doc ${root}/usr/share/doc/${package})
  file(WRITE ${doc}/changelog.Debian "sagbend (${version}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; its changes are in CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  configure_file(${CPACK_SAGBEND_SOURCE}/CHANGELOG.md ${doc}/changelog COPYONLY)
  compress(${doc}/changelog.Debian ${doc}/changelog)
  if(component STREQUAL "sagbend")
    configure_file(${CPACK_SAGBEND_DEBIAN}/copyright ${doc}/copyright COPYONLY)
  else() # without the page of sagbend-view
    file(READ ${CPACK_SAGBEND_DEBIAN}/copyright text)
    string(REGEX REPLACE "Files: usr/bin/sagbend-view.*\nLicense: Apache-2.0\n On" "License: Apache-2.0\n On" text "${text}")
    file(WRITE ${doc}/copyright "${text}")
  endif()
  file(STRINGS ${CPACK_SAGBEND_DEBIAN}/lintian-overrides overrides REGEX "^${package}:")
  list(JOIN overrides "\n" overrides)
  file(WRITE ${root}/usr/share/lintian/overrides/${package} "${overrides}\n")
endforeach()

# cpack has stripped the programs, which keeps the build id. The libraries were installed by a script, whose files it does not strip.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/sagbend)
execute_process(COMMAND strip --remove-section=.comment ${root}/usr/bin/sagbend ${root}/usr/bin/sagbend-lab ${root}/usr/bin/sagbend-verify
                ${root}/usr/bin/sagbend-dp ${root}/usr/bin/sagbend-view COMMAND_ERROR_IS_FATAL ANY)
file(GLOB pages ${root}/usr/share/man/man*/*.[15])
compress(${pages})
file(GLOB_RECURSE library ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/library/usr/lib/*/libsagbend.so.*.*)
file(GLOB_RECURSE archive ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/development/usr/lib/*/libsagbend.a)
if(library)
  execute_process(COMMAND strip --strip-unneeded --remove-section=.comment ${library} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND strip --strip-debug --enable-deterministic-archives --remove-section=.comment ${archive} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND chmod -R u+rwX,go+rX,go-w ${CPACK_TEMPORARY_INSTALL_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
