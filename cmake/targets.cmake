# One helper for each kind of target. All warn by one interface target.

# Sources of a room compiled several at a time: what they all include is read, and what they all
# instantiate is compiled, once. A whole build takes less than half of the time, a small change more.
option(TENSOR_CTS_UNITY "Compile the sources of a room together" OFF)

# For developers (tools/test.sh): a newer compiler has new warnings, which must not keep a user from
# building.
option(TENSOR_CTS_WERROR "Warnings are errors" OFF)

# No binary says where it was built.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/)

add_library(cts_options INTERFACE)
target_compile_features(cts_options INTERFACE cxx_std_20)
target_compile_options(
  cts_options
  INTERFACE -Wall
            -Wextra
            $<$<BOOL:${TENSOR_CTS_WERROR}>:-Werror>
            -Wshadow
            -Wnon-virtual-dtor
            -Wconversion-null
            -Wno-missing-field-initializers
            # A fused multiply-add rounds once where the specification rounds twice.
            -ffp-contract=off
            -fno-fast-math
            # False alarms of GCC 12: "x" + std::string, with precompiled headers of two kinds.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
            # GCC collects its garbage less often: up to an eighth of its time for 300 MB.
            "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>"
            # A source that is compiled together with others is no header.
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${TENSOR_CTS_UNITY}>>:-Wno-subobject-linkage>)

set(TENSOR_CTS_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined")
if(TENSOR_CTS_SANITIZE)
  target_compile_options(
    cts_options
    INTERFACE -fsanitize=${TENSOR_CTS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
              $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(cts_options INTERFACE -fsanitize=${TENSOR_CTS_SANITIZE})
endif()

# The fuzz targets link the rooms as they are: all are compiled for them.
option(TENSOR_CTS_FUZZ "Build the fuzz targets (clang++ only)" OFF)
if(TENSOR_CTS_FUZZ)
  target_compile_options(cts_options INTERFACE -fsanitize=address,undefined,fuzzer-no-link
                                               -fno-sanitize-recover=all)
  target_link_options(cts_options INTERFACE -fsanitize=address,undefined)
endif()

# Where numbers are crunched -O3 pays; elsewhere it costs a third of the compiler's time for nothing.
# The bytes of a suite are the same either way. Some passes of GCC take a tenth of its time at -O1 too,
# and pay nothing in plain code.
set(TENSOR_CTS_PLAIN
    $<$<CONFIG:Release>:-O1>
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-tree-pta;-fno-tree-sra;-fno-tree-loop-optimize>
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-ipa-pure-const;-fno-ipa-modref>
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fno-if-conversion;-fno-if-conversion2>)
set(TENSOR_CTS_NUMBERS $<$<CONFIG:Release>:-O3>)
if(TENSOR_CTS_FUZZ)
  # With sanitizers -O3 takes the compiler long, and pays nothing.
  set(TENSOR_CTS_NUMBERS ${TENSOR_CTS_PLAIN})
endif()

# Headers that nearly every file includes, parsed once for each set of flags.
# Sources include what they use nevertheless.
set(TENSOR_CTS_COMMON_HEADERS <algorithm> <cmath> <filesystem> <functional> <map> <memory> <optional> <set>
                              <span> <sstream> <string> <variant> <vector> <absl/status/statusor.h>)

# cts_precompiled_headers(NAME HEADERS h ... LINK libs ... OPTIONS flags ...): compiles the headers
# for targets with the same flags; they say target_precompile_headers(... REUSE_FROM NAME).
function(cts_precompiled_headers name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:cts_options> absl::statusor ${arg_LINK})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# cts_room_headers(TARGET SCOPE ROOM): lets TARGET find the headers of a folder such as reference/base, and
# with SCOPE PUBLIC or INTERFACE also the targets that link it. The include path is a folder of the build
# tree with only this room, so that an include of a room that is not linked is an error.
function(cts_room_headers target scope room)
  get_filename_component(parent ${room} DIRECTORY)
  string(REPLACE "/" "_" folder ${room})
  set(headers ${PROJECT_BINARY_DIR}/rooms/${folder})
  file(MAKE_DIRECTORY ${headers}/${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${room} ${headers}/${room} SYMBOLIC)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${headers}>)
endfunction()

# cts_sources(TARGET HEADERS OPTIONS): how the sources of a library are compiled.
function(cts_sources target headers options)
  target_compile_options(${target} PRIVATE ${options})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${TENSOR_CTS_UNITY}
                                             UNITY_BUILD_BATCH_SIZE 12)
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# cts_alone(SOURCES...): each a unit of its own even where others are compiled together: its macros, its
# names, or what it compiles several times over, would be in their way.
function(cts_alone)
  foreach(source ${ARGN})
    get_filename_component(path ${source} ABSOLUTE)
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "cts_alone: found ${source}, expected a source: there is no ${path}")
    endif()
  endforeach()
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# cts_room(ROOM SOURCES a.cc ... NUMBERS b.cc ... LINK libs ...): the library of a folder, with sources relative
# to it; of headers alone if it has no sources. It is called cts_base for reference/base and cts_run for
# tools/program/run, but cts_generator_ops for generator/ops. NUMBERS are sources that crunch numbers.
function(cts_room room)
  cmake_parse_arguments(arg "" "" "SOURCES;NUMBERS;LINK" ${ARGN})
  string(REGEX REPLACE "^(reference|tools/program|tools)/" "" name ${room})
  string(REPLACE "/" "_" name ${name})
  list(SORT arg_SOURCES)
  list(SORT arg_NUMBERS)
  if(NOT arg_SOURCES AND NOT arg_NUMBERS)
    add_library(cts_${name} INTERFACE)
    cts_room_headers(cts_${name} INTERFACE ${room})
    return()
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${room}/)
  list(TRANSFORM arg_NUMBERS PREPEND ${PROJECT_SOURCE_DIR}/${room}/)
  set(headers cts_library_headers)
  set(options ${TENSOR_CTS_PLAIN})
  if(arg_SOURCES AND arg_NUMBERS)
    set(numbers cts_${name}_numbers)
    add_library(${numbers} OBJECT ${arg_NUMBERS})
    cts_room_headers(${numbers} PRIVATE ${room})
    target_link_libraries(${numbers} PRIVATE cts_options ${arg_LINK})
    cts_sources(${numbers} cts_number_headers "${TENSOR_CTS_NUMBERS}")
    list(APPEND arg_SOURCES $<TARGET_OBJECTS:${numbers}>)
  elseif(arg_NUMBERS)
    set(arg_SOURCES ${arg_NUMBERS})
    set(headers cts_number_headers)
    set(options ${TENSOR_CTS_NUMBERS})
  endif()
  add_library(cts_${name} STATIC ${arg_SOURCES})
  cts_room_headers(cts_${name} PUBLIC ${room})
  target_link_libraries(cts_${name} PUBLIC $<BUILD_INTERFACE:cts_options> ${arg_LINK})
  cts_sources(cts_${name} ${headers} "${options}")
endfunction()

# cts_link_closure(TARGET OUT): the rooms and other libraries of ours that TARGET links, and those that they link.
function(cts_link_closure target out)
  set(found "")
  set(left ${target})
  while(left)
    list(POP_FRONT left next)
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(libraries ${next} ${property})
      string(REGEX MATCHALL "cts_[a-z0-9_]+" libraries "${libraries}")
      foreach(library ${libraries})
        if(TARGET ${library} AND NOT library IN_LIST found)
          list(APPEND found ${library})
          list(APPEND left ${library})
        endif()
      endforeach()
    endforeach()
  endwhile()
  list(SORT found)
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# cts_built_sources(FOLDER OUT): the absolute paths of the sources of all targets of FOLDER and of the folders below.
function(cts_built_sources folder out)
  set(found "")
  get_directory_property(targets DIRECTORY ${folder} BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(sources ${target} SOURCES)
    get_target_property(from ${target} SOURCE_DIR)
    foreach(source ${sources})
      if(source MATCHES "\\.cc$")
        get_filename_component(path ${source} ABSOLUTE BASE_DIR ${from})
        list(APPEND found ${path})
      endif()
    endforeach()
  endforeach()
  get_directory_property(folders DIRECTORY ${folder} SUBDIRECTORIES)
  foreach(below ${folders})
    cts_built_sources(${below} more)
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# cts_test(NAME SOURCES a_test.cc ... LINK libs ... PROPERTIES p v ... TOGETHER filters ...): one binary, one
# ctest entry per test case, with these properties. Tests that a filter of TOGETHER matches are one entry:
# they share what takes them long to make.
function(cts_test name)
  if(NOT TENSOR_CTS_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PROPERTIES;TOGETHER" ${ARGN})
  if(NOT arg_PROPERTIES)
    set(arg_PROPERTIES TIMEOUT 600)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE cts_options ${arg_LINK} GTest::gmock GTest::gtest_main)
  # Tests spend their time in the libraries: -Og here saves nearly half of compiling them.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${TENSOR_CTS_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  target_precompile_headers(${name} REUSE_FROM cts_test_headers)
  target_compile_definitions(
    ${name} PRIVATE CTS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CTS_BINARY_DIR="${PROJECT_BINARY_DIR}"
                    CTS_PYTHON="/usr/bin/python3")
  foreach(filter ${arg_TOGETHER})
    add_test(NAME "${filter}" COMMAND ${name} "--gtest_filter=${filter}")
    set_tests_properties("${filter}" PROPERTIES ${arg_PROPERTIES})
  endforeach()
  list(JOIN arg_TOGETHER ":" together)
  if(together)
    set(together "*:-${together}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "${together}" PROPERTIES ${arg_PROPERTIES})
endfunction()

# cts_benchmark(NAME SOURCES a_benchmark.cc ... LINK libs ... [TEST_FILTER regex]): a Google Benchmark
# program. As a test it runs each benchmark, or those that match, once, so that none rots.
function(cts_benchmark name)
  if(NOT TENSOR_CTS_BUILD_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TEST_FILTER" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE cts_options ${arg_LINK} benchmark::benchmark_main)
  if(TENSOR_CTS_BUILD_TESTS)
    add_test(NAME ${name}.runs COMMAND ${name} --benchmark_min_time=0
                                 --benchmark_filter=${arg_TEST_FILTER})
  endif()
endfunction()

# cts_embed(TARGET NAMESPACE_FUNCTION files...): a library with the files' texts.
# FUNCTION(name) returns the text of the file whose name without directory is `name`, or nullptr.
function(cts_embed target function)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${out}.cc ${out}.h
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUT=${out} -DNAME=${target} -DFUNCTION=${function}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  add_library(${target} STATIC ${out}.cc ${out}.h)
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:cts_options>)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}>)
  # cts_generated_headers: every such header, which a linter needs before anything is built.
  if(NOT TARGET cts_generated_headers)
    add_custom_target(cts_generated_headers)
  endif()
  add_dependencies(cts_generated_headers ${target})
endfunction()
