// A library of the system that is opened where it is first needed. A program that never needs it
// uses no memory for it, and runs where it is not installed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/base/status.h"

namespace cts {

class SharedLibrary {
 public:
  // The first of these file names, such as libarchive.so.13, that the system's loader finds; it
  // stays open. The error has the names, the words of the loader, and the text that `remedy`
  // returns.
  static StatusOr<SharedLibrary> Open(const std::vector<std::string>& names,
                                      const std::function<std::string()>& remedy);

  const std::string& name() const { return name_; }

  // The function of this name and type in the library, or in a library that it needs; an error if
  // there is none.
  template <class Function>
  Status Find(const std::string& symbol, Function*& function) const {
    CTS_ASSIGN_OR_RETURN(void* const found, Address(symbol));
    function = reinterpret_cast<Function*>(found);
    return absl::OkStatus();
  }

 private:
  SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  StatusOr<void*> Address(const std::string& symbol) const;

  std::string name_;
  void* handle_;
};

}  // namespace cts
