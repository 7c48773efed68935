# The Debian packages sagbend, libsagbend0 and libsagbend-dev, by the components of the installation: cpack --config BUILD/CPackConfig.cmake (tools/package). The staged files get what Debian asks for by
# complete.cmake; postinst, prerm and postrm act as debhelper's parts for a unit, users, temporary files and Python do.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sagbend)
set(CPACK_PACKAGE_VENDOR Sagbend)
set(CPACK_PACKAGE_CONTACT "Sagbend maintainers <maintainers@sagbend.example>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_SET_DESTDIR ON) # files go to /etc and /lib as well
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/complete.cmake)
set(CPACK_SAGBEND_DEBIAN ${CMAKE_CURRENT_LIST_DIR})
set(CPACK_SAGBEND_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_SAGBEND_DATE ${SAGBEND_RELEASE_DATE})

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has one of its own
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL sagbend)
if(SAGBEND_SHARED)
  list(APPEND CPACK_COMPONENTS_ALL library development)
endif()
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library) # of the same version

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_SAGBEND_PACKAGE_NAME sagbend)
# libzmq5 and libnetcdf19 are loaded on demand, so that dpkg-shlibdeps does not see them (tools/package does).
set(CPACK_DEBIAN_SAGBEND_PACKAGE_DEPENDS "libzmq5 (>= 4.3.0), init-system-helpers (>= 1.54~), systemd | systemd-sysusers, systemd | systemd-tmpfiles")
set(CPACK_DEBIAN_SAGBEND_PACKAGE_RECOMMENDS "python3, python3-zmq, python3-protobuf, python3-numpy")
set(CPACK_DEBIAN_SAGBEND_PACKAGE_SUGGESTS "libsagbend0, python3-pandas, python3-zstandard, gnuplot-nox, rt-tests, libnetcdf19, weasyprint")
set(CPACK_DEBIAN_SAGBEND_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/conffiles ${CMAKE_CURRENT_LIST_DIR}/postinst
    ${CMAKE_CURRENT_LIST_DIR}/prerm ${CMAKE_CURRENT_LIST_DIR}/postrm)
set(CPACK_DEBIAN_SAGBEND_DESCRIPTION
"hardware-in-the-loop simulator of a pipelay vessel and its pipe
Sagbend advances a pipelay vessel and the pipe that hangs from it to the
seabed, in real time, and exchanges thruster commands and sensor readings
with a dynamic positioning (DP) controller over ZeroMQ and protobuf.

The package contains the simulator (sagbend), its verification
(sagbend-verify), sweeps, trials and import of hydrodynamic data
(sagbend-lab), a DP controller (sagbend-dp), a live view for browsers
(sagbend-view), hardened systemd services for unattended sessions, cases
and scenarios, and a Python package for controllers, operators and
session logs.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsagbend${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/library/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"simulator of a pipelay vessel and its pipe, in the process of its host
Sagbend advances a pipelay vessel and the pipe that hangs from it to the
seabed. This library opens a case, takes commands, makes steps and gives
values, with the same bits as the program in the package sagbend.

The Python package in sagbend uses it for simulations in process.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsagbend-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libyaml-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"simulator of a pipelay vessel and its pipe, for programs that embed it
Sagbend advances a pipelay vessel and the pipe that hangs from it to the
seabed. This package contains the header, the static library and the file
for pkg-config of libsagbend.")
include(CPack)
