# The binary, the schemas, the recipes, the library and a CMake package:
#   find_package(tensor-cts REQUIRED)
#   target_link_libraries(my_test tensor-cts::checker)
include(CMakePackageConfigHelpers)

# A tree of which only the program is built, as quickstart.sh leaves it, is completed first. A wheel needs no more than
# the targets that pyproject.toml names.
install(CODE "
if(NOT CMAKE_INSTALL_LOCAL_ONLY AND NOT CMAKE_INSTALL_COMPONENT STREQUAL \"wheel\" AND NOT EXISTS \"${PROJECT_BINARY_DIR}/tools/adapters/libm/libcts_libm.so\")
  message(STATUS \"Building what is not built\")
  execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" COMMAND_ERROR_IS_FATAL ANY)
endif()" ALL_COMPONENTS)

# The components are those of the packages: package.cmake.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tensor-cts)
install(TARGETS tensor-cts RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# What a program links: a library for each room of reference/, and one name for all of them.
set(rooms cts_base cts_answer cts_spec cts_numeric cts_graph cts_bundle cts_ops cts_symbolic cts_precision
          cts_machine cts_enclosure cts_evaluate cts_calls cts_formats cts_formats_mlir cts_formats_spirv cts_formats_tosa cts_faults
          cts_generator_data cts_generator_draft cts_generator_networks cts_generator_ops cts_generator_recipe cts_generator_graphs cts_generator_symbolic
          cts_generator_plan cts_generator_cover cts_generator cts_checker_rules cts_checker_text
          cts_checker_judge cts_checker_report cts_checker_gate cts_checker_evidence cts_checker_c)
install(
  TARGETS cts_reference cts_checker tensor_cts_library ${rooms} cts_schemas cts_editions cts_precision_tables cts_checker_texts cts_build_state cts_networks cts_recipes
  EXPORT tensor-cts-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/tensor-cts COMPONENT development)
set_target_properties(tensor_cts_library PROPERTIES EXPORT_NAME library)
target_include_directories(tensor_cts_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tensor-cts> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(cts_reference PROPERTIES EXPORT_NAME reference)
set_target_properties(cts_checker PROPERTIES EXPORT_NAME checker)
set_target_properties(cts_generator PROPERTIES EXPORT_NAME generator)
set(include_dir ${CMAKE_INSTALL_INCLUDEDIR}/tensor-cts)
foreach(target ${rooms})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${include_dir}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # As in targets.cmake: inline functions of our headers must round alike in every object file.
  target_compile_options(${target} INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)
endforeach()
install(
  DIRECTORY reference generator checker
  DESTINATION ${include_dir}
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*.def"
  PATTERN "*testing.h" EXCLUDE
  PATTERN "suite_on_disk.h" EXCLUDE
  PATTERN "tosa_wire.h" EXCLUDE
  PATTERN "testdata" EXCLUDE
  PATTERN "fuzz" EXCLUDE
  PATTERN "__pycache__" EXCLUDE)

# The headers of the C interfaces, <tensor-cts/NAME.h>, which need no other folder.
file(READ tools/bindings/c/tensor_cts_reference.h reference_header)
string(REPLACE "\"checker/c/tensor_cts.h\"" "\"tensor_cts.h\"" reference_header "${reference_header}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/tensor_cts_reference.h CONTENT "${reference_header}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tools/bindings/c/tensor_cts_reference.h)
install(FILES tools/adapters/plugin.h checker/c/tensor_cts.h ${PROJECT_BINARY_DIR}/include/tensor_cts_reference.h
        DESTINATION ${include_dir} COMPONENT development)
set(pc_libdir ${CMAKE_INSTALL_LIBDIR})
set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
set(pc_rpath "")
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/tensor-cts.pc.in ${PROJECT_BINARY_DIR}/tensor-cts.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tensor-cts.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
# Programs for 0.2 include it by this path.
install(FILES checker/c/tensor_cts.h DESTINATION ${include_dir}/checker COMPONENT development)

install(DIRECTORY schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tensor-cts/schemas
        FILES_MATCHING PATTERN "*.json" PATTERN "*.fbs" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY suites/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tensor-cts/suites
        FILES_MATCHING PATTERN "*.json" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY tools/adapters/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tensor-cts/adapters
        USE_SOURCE_PERMISSIONS
        FILES_MATCHING
        PATTERN "*.py"
        PATTERN "*.md"
        PATTERN "*.pipeline"
        PATTERN "*.mjs"
        PATTERN "node_modules" EXCLUDE
        PATTERN "__pycache__" EXCLUDE
        PATTERN "*.json"
        PATTERN "requirements.txt"
        PATTERN "make_pages.py" EXCLUDE
        PATTERN "*_test.py" EXCLUDE)
install(DIRECTORY tools/findings DESTINATION ${CMAKE_INSTALL_DATADIR}/tensor-cts)

# The scripts that `tensor-cts legalize` runs, and the style of their pages.
install(DIRECTORY tools/legalize/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tensor-cts/legalize
        FILES_MATCHING
        PATTERN "*.py"
        PATTERN "README.md"
        PATTERN "requirements.txt"
        PATTERN "__pycache__" EXCLUDE
        PATTERN "corpus.py" EXCLUDE
        PATTERN "tables.py" EXCLUDE
        PATTERN "smallest.py" EXCLUDE
        PATTERN "*_test.py" EXCLUDE)
install(FILES checker/report/report_page.html DESTINATION ${CMAKE_INSTALL_DATADIR}/tensor-cts/legalize)

install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
set(completion tools/program/commands/completion)
install(FILES ${completion}/tensor-cts.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME tensor-cts)
install(FILES ${completion}/_tensor-cts DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${completion}/tensor-cts.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

install(FILES LICENSE ARCHITECTURE.md CITATION.cff README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md STABILITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(DIRECTORY tools/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tensor-cts/examples
        PATTERN "ci" EXCLUDE
        PATTERN "clusters" EXCLUDE
        PATTERN "__pycache__" EXCLUDE)

# The documentation site, where `tools/docs.sh --out BUILD/site` has made it.
install(DIRECTORY ${PROJECT_BINARY_DIR}/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT documentation OPTIONAL)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tensor-cts)
install(EXPORT tensor-cts-targets NAMESPACE tensor-cts:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/tensor-cts-config.cmake.in
                              ${PROJECT_BINARY_DIR}/tensor-cts-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tensor-cts-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tensor-cts-config.cmake
              ${PROJECT_BINARY_DIR}/tensor-cts-config-version.cmake DESTINATION ${package_dir}
        COMPONENT development)

# For a package alone: pip takes the wheel.
install(DIRECTORY tools/bindings/python/src/tensor_cts DESTINATION lib/python3/dist-packages
        COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

