#include "tools/program/certify/libarchive.h"

#include "reference/base/shared_library.h"
#include "reference/base/system_package.h"

namespace cts {
namespace {

StatusOr<Libarchive> Open() {
  const auto remedy = [] {
    return StrCat("evidence as one file needs libarchive: ",
                  InstallIt({{"debian", {0, 0}, "libarchive13"},
                             {"debian", {13, 0}, "libarchive13t64"},
                             {"ubuntu", {0, 0}, "libarchive13"},
                             {"ubuntu", {24, 4}, "libarchive13t64"}}),
                  ", or use evidence as a folder");
  };
  // Every libarchive since 3.0 has this name.
  CTS_ASSIGN_OR_RETURN(const SharedLibrary library,
                       SharedLibrary::Open({"libarchive.so.13"}, remedy));
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
