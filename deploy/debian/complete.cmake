# Run by cpack on the staged files: the manual compressed; changelog, copyright and lintian's overrides added.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
set(doc ${root}/usr/share/doc/sagbend)
set(version ${CPACK_DEBIAN_PACKAGE_VERSION})
if(NOT version)
  set(version ${CPACK_PACKAGE_VERSION})
endif()
string(APPEND version -${CPACK_DEBIAN_PACKAGE_RELEASE})

function(compress)
  execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# cpack has stripped the programs, which keeps the build id.
execute_process(COMMAND strip --remove-section=.comment ${root}/usr/bin/sagbend ${root}/usr/bin/sagbend-lab ${root}/usr/bin/sagbend-verify
                ${root}/usr/bin/sagbend-dp ${root}/usr/bin/sagbend-view COMMAND_ERROR_IS_FATAL ANY)
file(GLOB pages ${root}/usr/share/man/man*/*.[15])
compress(${pages})
execute_process(COMMAND date -u -R -d ${CPACK_SAGBEND_DATE} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/changelog.Debian "sagbend (${version}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; its changes are in CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
configure_file(${doc}/CHANGELOG.md ${doc}/changelog COPYONLY)
compress(${doc}/changelog.Debian ${doc}/changelog)
configure_file(${CPACK_SAGBEND_DEBIAN}/copyright ${doc}/copyright COPYONLY)
file(MAKE_DIRECTORY ${root}/usr/share/lintian/overrides)
configure_file(${CPACK_SAGBEND_DEBIAN}/lintian-overrides ${root}/usr/share/lintian/overrides/sagbend COPYONLY)
execute_process(COMMAND chmod -R u+rwX,go+rX,go-w ${root} COMMAND_ERROR_IS_FATAL ANY)
