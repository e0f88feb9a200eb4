#include "tools/certify/libarchive.h"

#include "reference/base/shared_library.h"

namespace cts {
namespace {

StatusOr<Libarchive> Open() {
  // Every libarchive since 3.0 has this name.
  CTS_ASSIGN_OR_RETURN(
      const SharedLibrary library,
      SharedLibrary::Open({"libarchive.so.13"},
                          "evidence as one file needs libarchive: install it (libarchive13 in "
                          "Debian), or use evidence as a folder"));
  Libarchive found;
#define CTS_LIBARCHIVE_FIND(name) CTS_RETURN_IF_ERROR(library.Find(#name, found.name));
  CTS_LIBARCHIVE_FUNCTIONS(CTS_LIBARCHIVE_FIND)
#undef CTS_LIBARCHIVE_FIND
  return found;
}

}  // namespace

StatusOr<const Libarchive*> Libarchive::Get() {
  static const StatusOr<Libarchive> library = Open();
  if (!library.ok()) return library.status();
  return &*library;
}

}  // namespace cts
