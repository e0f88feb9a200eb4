# Writes OUT.h and OUT.cc, which hold the texts of FILES. Called by cts_embed.
set(guard_text "#pragma once

#include <string_view>
#include <vector>

namespace cts {

struct EmbeddedFile {
  std::string_view name;  // without the directory
  std::string_view text;
};

// Every file embedded here, in the order in which CMake lists them.
const std::vector<EmbeddedFile>& ${FUNCTION}();

}  // namespace cts
")
# EmbeddedFile may come from several generated headers: guard it by a macro.
string(REPLACE "struct EmbeddedFile {" "#ifndef CTS_EMBEDDED_FILE_
#define CTS_EMBEDDED_FILE_
struct EmbeddedFile {" guard_text "${guard_text}")
string(REPLACE "std::string_view text;\n};" "std::string_view text;\n};\n#endif" guard_text "${guard_text}")
file(WRITE ${OUT}.h "${guard_text}")

set(text "#include \"${NAME}.h\"\n\nnamespace cts {\n\n")
set(rows "")
set(index 0)
foreach(file ${FILES})
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(APPEND text "static const unsigned char kFile${index}[] = {${bytes}0};\n")
  string(APPEND rows
         "      {\"${name}\", {reinterpret_cast<const char*>(kFile${index}), ${size}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND text
       "\nconst std::vector<EmbeddedFile>& ${FUNCTION}() {\n"
       "  static const std::vector<EmbeddedFile> files = {\n${rows}  };\n  return files;\n}\n\n"
       "}  // namespace cts\n")
file(WRITE ${OUT}.cc "${text}")
