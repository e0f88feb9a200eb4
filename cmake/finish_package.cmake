# Run by cpack between the installation into its folders and the making of the packages: what Debian asks of a
# package and an installation does not have.
cmake_minimum_required(VERSION 3.25)
set(components "tensor-cts=tensor-cts" "library=${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME}" "development=libtensor-cts-dev"
               "python=python3-tensor-cts")
if("documentation" IN_LIST CPACK_COMPONENTS_ALL)
  list(APPEND components "documentation=tensor-cts-doc")
endif()
set(version ${CPACK_PACKAGE_VERSION})
set(time "$ENV{SOURCE_DATE_EPOCH}")
if(time STREQUAL "")
  # The time of the sources, not of the clock: the same bytes twice. Nor that of a repository around them.
  file(REAL_PATH ${CMAKE_CURRENT_LIST_DIR}/.. here)
  file(REAL_PATH ${here}/.. above)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${above} git -C ${here} log -1 --format=%ct
                  OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(ENV{SOURCE_DATE_EPOCH} "${time}")
endif()
if(time STREQUAL "")
  message(FATAL_ERROR "SOURCE_DATE_EPOCH is not set: expected the time of the sources, such as that of the last commit "
                      "(git log -1 --format=%ct)")
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND date --utc --rfc-email --date=@${time} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
foreach(pair ${components})
  string(REGEX MATCH "^([^=]*)=(.*)$" matched ${pair})
  set(package ${CMAKE_MATCH_2})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${CMAKE_MATCH_1})
  set(doc ${root}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  file(WRITE ${doc}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tensor-cts

Files: *
Copyright: 2025-2026 The Tensor CTS developers
License: Apache-2.0
 On Debian systems the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
  if(package STREQUAL "tensor-cts-doc")
    # The theme of the site, with what it holds: lunr, RxJS and others, as its scripts name them.
    file(STRINGS ${root}/usr/share/doc/tensor-cts/html/assets/LICENSE.theme theme)
    list(JOIN theme "\n " theme)
    file(APPEND ${doc}/copyright "
Files: usr/share/doc/tensor-cts/html/assets/javascripts/* usr/share/doc/tensor-cts/html/assets/stylesheets/*
Copyright: 2016-2025 Martin Donath <martin.donath@squidfunk.com>
License: Expat
 ${theme}
")
  endif()
  file(WRITE ${doc}/changelog
"tensor-cts (${version}) unstable; urgency=medium

  * What changed: CHANGELOG.md of the package tensor-cts.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  run(gzip -9n ${doc}/changelog)
  file(REMOVE ${doc}/LICENSE)  # the copyright says where it is
endforeach()

set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/tensor-cts/usr/share)
file(GLOB pages ${root}/man/man1/*.1)
if(pages STREQUAL "")
  message(FATAL_ERROR "${root}/man/man1: found no manual page, expected those that the build writes")
endif()
run(gzip -9nf ${pages})

# What pytest finds the plugin by.
run(/usr/bin/python3 ${CPACK_TENSOR_CTS_SOURCE}/tools/bindings/python/metadata.py ${version}
    ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/python/usr/lib/python3/dist-packages)

# The module's library lies beside it, as in a wheel.
file(CREATE_LINK ../../../${CPACK_TENSOR_CTS_LIBRARY}
     ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/python/usr/lib/python3/dist-packages/tensor_cts/libtensor_cts.so SYMBOLIC)
