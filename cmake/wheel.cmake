# The component `wheel`: what pip installs beside the module's sources (pyproject.toml), as a wheel has it. Included where
# scikit-build-core runs CMake, which sets SKBUILD_SCRIPTS_DIR and SKBUILD_METADATA_DIR.
option(TENSOR_CTS_WHEEL_LICENSES "The wheel has the licences of the libraries that auditwheel puts in" OFF)
add_custom_target(wheel)
if(TENSOR_CTS_WHEEL_OF)
  set(built ${TENSOR_CTS_WHEEL_OF})
else()
  set(built ${PROJECT_BINARY_DIR})
  add_dependencies(wheel tensor-cts tensor_cts_library)
endif()
set(soname libtensor_cts.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(here ${PROJECT_BINARY_DIR}/wheel)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME wheel)

install(PROGRAMS ${built}/tools/tensor-cts DESTINATION tensor_cts/bin)
install(PROGRAMS ${built}/tools/libtensor_cts.so.${PROJECT_VERSION} DESTINATION tensor_cts RENAME ${soname})
install(CODE "
set(binaries \"\${CMAKE_INSTALL_PREFIX}/tensor_cts/bin/tensor-cts\" \"\${CMAKE_INSTALL_PREFIX}/tensor_cts/${soname}\")
execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \${binaries} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT wheel)

# The command, without NumPy, which `import tensor_cts` takes time for.
file(WRITE ${here}/tensor-cts [=[
#!python
import importlib.util
import os
import sys

folder = importlib.util.find_spec("tensor_cts").submodule_search_locations[0]
program = os.path.join(folder, "bin", "tensor-cts")
os.environ.setdefault("TENSOR_CTS_PYTHON", sys.executable)  # what `legalize` runs
os.execv(program, [program, *sys.argv[1:]])
]=])
install(PROGRAMS ${here}/tensor-cts DESTINATION ${SKBUILD_SCRIPTS_DIR})

# What another program is built with: headers, tensor-cts.pc, what linkers call the library; schemas and the skeleton.
install(FILES tools/adapters/plugin.h checker/c/tensor_cts.h ${built}/include/tensor_cts_reference.h DESTINATION tensor_cts/include/tensor-cts)
set(pc_prefix ..)
set(pc_libdir .)
set(pc_includedir include)
set(pc_rpath "-Wl,-rpath,\${libdir} ")
configure_file(cmake/tensor-cts.pc.in ${here}/tensor-cts.pc @ONLY)
install(FILES ${here}/tensor-cts.pc DESTINATION tensor_cts/pkgconfig)
file(WRITE ${here}/libtensor_cts.so "/* For linkers. */ INPUT(${soname})\n")
install(FILES ${here}/libtensor_cts.so DESTINATION tensor_cts)
install(DIRECTORY schemas/ DESTINATION tensor_cts/schemas FILES_MATCHING PATTERN "*.json" PATTERN "editions" EXCLUDE)
file(READ tools/adapters/README.md page)
string(REGEX REPLACE "\\[([^]]*)\\]\\([^:)]*\\)" "\\1" page "${page}")  # links to files that are not here
file(WRITE ${here}/README.md "${page}")
install(FILES ${here}/README.md tools/adapters/skeleton.py DESTINATION tensor_cts/adapters)

# What `tensor-cts legalize` runs.
install(DIRECTORY tools/legalize DESTINATION tensor_cts
        FILES_MATCHING
        PATTERN "*.py"
        PATTERN "requirements.txt"
        REGEX "(_test|/corpus|/tables|/smallest)\\.py$" EXCLUDE)
install(FILES checker/report/report_page.html DESTINATION tensor_cts/legalize)
foreach(source tflite torch)
  install(FILES tools/findings/${source}/deviations.json DESTINATION tensor_cts/findings/${source})
endforeach()

# The licences of the libraries that the two need: those that are no part of every system for which a manylinux wheel is
# made (PEP 600). The package manager knows whose library it is.
if(TENSOR_CTS_WHEEL_LICENSES)
  install(CODE "set(licenses \"${SKBUILD_METADATA_DIR}/licenses\")\nfile(MAKE_DIRECTORY \"\${licenses}\")" COMPONENT wheel)
  install(CODE [[
list(POP_FRONT binaries program)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} LIBRARIES ${binaries} RESOLVED_DEPENDENCIES_VAR libraries
     POST_EXCLUDE_REGEXES "/(lib(c|m|dl|pthread|rt|gcc_s|stdc\\+\\+)\\.so|ld-linux)[^/]*$")
find_program(DPKG_QUERY dpkg-query)
foreach(library ${libraries})
  file(REAL_PATH ${library} library)
  if(DPKG_QUERY)
    # Debian lists libraries by /lib or by /usr/lib, which are one folder.
    string(REGEX REPLACE "^/usr" "" path ${library})
    execute_process(COMMAND ${DPKG_QUERY} --search "*${path}" OUTPUT_VARIABLE package ERROR_QUIET)
    string(REGEX REPLACE "[:,].*" "" package "${package}")
    set(texts /usr/share/doc/${package}/copyright)
  else()  # on the images of manylinux
    execute_process(COMMAND rpm --query --queryformat "%{NAME}" --file ${library} OUTPUT_VARIABLE package ERROR_QUIET)
    execute_process(COMMAND rpm --query --licensefiles --file ${library} OUTPUT_VARIABLE texts ERROR_QUIET)
    string(REGEX MATCHALL "/[^\n]+" texts "${texts}")
  endif()
  set(found FALSE)
  foreach(text ${texts})
    if(package AND EXISTS ${text})
      get_filename_component(end ${text} NAME)
      file(COPY_FILE ${text} ${licenses}/${package}.${end})
      set(found TRUE)
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "${library}: found in no package, expected one with its licence")
  endif()
endforeach()
]] COMPONENT wheel)
endif()
