# Writes OUT, the C++ source with what this build was made from (checker/judge/build_state.h), if that has changed.
# Runs at every build. Called by cts_build_state in checker/CMakeLists.txt.

# The digest of files: SHA-256 over their digests and paths, as sha256sum lists them, in order.
function(digest_of out)
  set(paths ${ARGN})
  list(SORT paths)
  set(text "")
  foreach(path ${paths})
    file(SHA256 ${SOURCE_DIR}/${path} digest)
    string(APPEND text "${digest}  ${path}\n")
  endforeach()
  string(SHA256 digest "${text}")
  set(${out} ${digest} PARENT_SCOPE)
endfunction()

file(GLOB editions RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/schemas/editions/*.json ${SOURCE_DIR}/schemas/editions/precision/*.json)
# What became of earlier releases changes no verdict of this one.
list(REMOVE_ITEM editions schemas/editions/errata.json)
digest_of(editions ${editions})
file(GLOB recipes RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/suites/*.json)
list(REMOVE_ITEM recipes suites/seconds.json)
digest_of(recipes ${recipes})
set(patterns "")
foreach(room checker reference)
  foreach(ending cc h def)
    list(APPEND patterns ${SOURCE_DIR}/${room}/*.${ending})
  endforeach()
endforeach()
file(GLOB_RECURSE sources RELATIVE ${SOURCE_DIR} ${patterns})
list(FILTER sources EXCLUDE REGEX "(_test|_benchmark)\\.cc$|testing\\.h$|/testdata/|/fuzz/")
digest_of(checker ${sources})

# A commit that was given, or that of a checkout of this very folder.
if(NOT COMMIT)
  set(COMMIT unknown)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --show-toplevel HEAD OUTPUT_VARIABLE lines
                    RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "\n" ";" lines "${lines}")
    list(LENGTH lines count)
    if(failed EQUAL 0 AND count EQUAL 2)
      list(GET lines 0 top)
      file(REAL_PATH ${SOURCE_DIR} here)
      if(top STREQUAL here)
        list(GET lines 1 COMMIT)
        execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} status --porcelain --untracked-files=no
                        OUTPUT_VARIABLE changed ERROR_QUIET)
        if(changed)
          string(APPEND COMMIT ", modified")
        endif()
      endif()
    endif()
  endif()
endif()

file(WRITE ${OUT}.new "#include \"checker/judge/build_state.h\"

namespace cts {

const BuildState& ThisBuild() {
  static constexpr BuildState kState = {
      .version = \"${VERSION}\",
      .commit = \"${COMMIT}\",
      .editions = \"${editions}\",
      .recipes = \"${recipes}\",
      .checker = \"${checker}\",
  };
  return kState;
}

}  // namespace cts
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
