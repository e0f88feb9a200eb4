// Makes valid names for tensors, regions and the like, which a foreign file may name arbitrarily.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// Makes unique identifiers, since names in a graph must be identifiers.
class Names {
 public:
  std::string Add(std::string_view name) {
    std::string identifier = Identifier(name);
    if (taken_.insert(identifier).second) return identifier;
    int& number = next_[identifier];
    std::string numbered;
    do {
      numbered = StrCat(identifier.substr(0, kMaxUnnumbered), "_", ++number);
    } while (!taken_.insert(numbered).second);
    return numbered;
  }

  static std::string Identifier(std::string_view name) {
    std::string identifier(name.substr(0, kMaxName));
    for (char& c : identifier) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!plain) c = '_';
    }
    const bool digit = !identifier.empty() && identifier[0] >= '0' && identifier[0] <= '9';
    if (identifier.empty() || digit) identifier.insert(0, "_");
    identifier.resize(std::min(identifier.size(), kMaxName));
    return identifier;
  }

 private:
  // kMaxName is the limit of case.schema.json; kMaxUnnumbered leaves room for a number.
  static constexpr size_t kMaxName = 100, kMaxUnnumbered = 90;

  std::set<std::string> taken_;
  std::map<std::string, int> next_;
};

}  // namespace cts
