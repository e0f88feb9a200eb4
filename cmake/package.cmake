# `cpack --config build/release/CPackConfig.cmake`: four packages for Debian 12.
#   tensor-cts          the command with its manual, completion, schemas, recipes, adapters and examples
#   libtensor-ctsX.Y    the shared library
#   libtensor-cts-dev   headers, libraries and the CMake package
#   python3-tensor-cts  the module and the pytest plugin
# And a fifth, where `tools/docs.sh --out build/release/site` has made the documentation site:
#   tensor-cts-doc      the site, in share/doc/tensor-cts/html
# With the same SOURCE_DATE_EPOCH the same build tree gives the same bytes.
set(TENSOR_CTS_MAINTAINER "Tensor CTS <maintainers@tensor-cts.invalid>" CACHE STRING
    "Who answers for the packages: NAME <ADDRESS>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tensor-cts)
set(CPACK_PACKAGE_CONTACT ${TENSOR_CTS_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tensor-cts library development python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/finish_package.cmake)
set(CPACK_TENSOR_CTS_SOURCE ${PROJECT_SOURCE_DIR})
# Whether the site is there is known when the packages are made.
set(CPACK_TENSOR_CTS_SITE ${PROJECT_BINARY_DIR}/site)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_site.cmake)

set(so ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_TENSOR_CTS_LIBRARY libtensor_cts.so.${so})
set(about "Tensor CTS generates suites of test cases for TOSA (the Tensor Operator Set
Architecture) and for other operator sets, runs them on an implementation,
and judges the results by the specification: integers bit for bit, floating
point within stated bounds, illegal graphs refused.")

set(CPACK_DEBIAN_TENSOR-CTS_PACKAGE_NAME tensor-cts)
set(CPACK_DEBIAN_TENSOR-CTS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TENSOR-CTS_DESCRIPTION "conformance suites for tensor operator sets
${about}")
set(CPACK_DEBIAN_TENSOR-CTS_PACKAGE_SHLIBDEPS ON)

# What this system calls the package of a library: libarchive.so.13 is libarchive13 of Debian 12 and libarchive13t64 of
# Debian 13 and Ubuntu 24.04.
function(cts_package_of library otherwise out)
  set(found ${otherwise})
  find_program(DPKG_QUERY dpkg-query)
  if(DPKG_QUERY)
    execute_process(COMMAND ${DPKG_QUERY} --search "*/${library}" OUTPUT_VARIABLE lines ERROR_QUIET)
    if("\n${lines}" MATCHES "\n(lib[a-z0-9.+-]+)[:,]")
      set(found ${CMAKE_MATCH_1})
    endif()
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Adapters and examples are scripts. The libraries are opened where they are needed, unseen by shlibdeps.
cts_package_of(libarchive.so.13 libarchive13 archive)
cts_package_of(libicui18n.so.${ICU_VERSION_MAJOR} libicu${ICU_VERSION_MAJOR} icu)
set(CPACK_DEBIAN_TENSOR-CTS_PACKAGE_DEPENDS "${archive}, ${icu}, python3 (>= 3.10)")
set(CPACK_DEBIAN_TENSOR-CTS_PACKAGE_RECOMMENDS python3-numpy)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtensor-cts${so})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "conformance suites for tensor operator sets: shared library
${about}

This package has the reference and the checker as a library with
functions in C.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtensor-cts-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "conformance suites for tensor operator sets: development files
${about}

This package has the headers of the C and C++ interfaces, static libraries
and a CMake package.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libtensor-cts${so} (= ${PROJECT_VERSION}), libabsl-dev, libflatbuffers-dev, libgmp-dev, libhwy-dev, libmpfr-dev, libsimdjson-dev, libsodium-dev, libssl-dev, nlohmann-json3-dev")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tensor-cts)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "conformance suites for tensor operator sets: Python module
${about}

This package has the module tensor_cts and a plugin for pytest.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "libtensor-cts${so} (>= ${PROJECT_VERSION}), tensor-cts (>= ${PROJECT_VERSION}), python3 (>= 3.10), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pytest)

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME tensor-cts-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION "conformance suites for tensor operator sets: documentation
${about}

This package has guides and a reference as pages of HTML, which load nothing
from outside: /usr/share/doc/tensor-cts/html/index.html.")
include(CPack)
