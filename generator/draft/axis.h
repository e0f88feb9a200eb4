// Typed axes: a label of such an axis stands for a value of a C++ type, so that
// `choice[kShapeAxis]` is a Shape. The id and the `parameters` of a case contain the text of the
// label. A misspelt axis does not compile, nor does a misspelt enumerator of a ListedAxis.
// `labels.Is(kShapeAxis, "1x65539")` ends the program if no type row has the label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cts {

// A parameter of a case, with its values in one type row. The id of a case contains `prefix` and
// the value; the `parameters` of the case contain `name` and the value.
struct Axis {
  std::string name;                 // "kernel"
  std::string prefix;               // "k"
  std::vector<std::string> values;  // "1x1", "3x3": [a-z0-9.+-]
  // Further values, which only recipes with "full" domains use.
  std::vector<std::string> more;
  std::map<std::string, std::string> needs;  // value -> the extension that it needs
  // All values except the first occur as seldom as coverage allows.
  bool prefers_first = false;
};

// An axis whose labels are arbitrary texts. `parse` turns a label into a T.
template <typename T>
struct ParsedAxis {
  std::string_view name, prefix;
  T (*parse)(std::string_view label);

  T Meaning(std::string_view label) const { return parse(label); }
  Axis With(std::vector<std::string> values, std::vector<std::string> more = {}) const {
    return {std::string(name), std::string(prefix), std::move(values), std::move(more)};
  }
};

// Ends the program with the message that the axis does not have `label`.
[[noreturn]] void FailForUnlisted(std::string_view axis, std::string_view label);

// An axis with a fixed list of labels, each with its meaning. For a type row without the axis, the
// meaning is that of the first label.
template <typename T, size_t kMost = 12>
class ListedAxis {
 public:
  // The labels in `more` are only for recipes whose domains are "full".
  constexpr ListedAxis(std::string_view axis, std::string_view id_prefix,
                       std::initializer_list<std::pair<std::string_view, T>> meanings,
                       std::initializer_list<std::pair<std::string_view, T>> more = {})
      : name(axis), prefix(id_prefix), first_more_(meanings.size()) {
    for (const auto& [label, meaning] : meanings) Add(label, meaning);
    for (const auto& [label, meaning] : more) Add(label, meaning);
  }

  T Meaning(std::string_view label) const {
    return label.empty() ? meanings_[0] : meanings_[Find(label)];
  }
  bool Lists(std::string_view label) const {
    return std::find(labels_, labels_ + count_, label) != labels_ + count_;
  }
  // Returns the axis with only the given labels, which must be in its list.
  Axis With(std::vector<std::string> values, std::vector<std::string> more = {}) const {
    for (const std::string& label : values) (void)Find(label);
    for (const std::string& label : more) (void)Find(label);
    return {std::string(name), std::string(prefix), std::move(values), std::move(more)};
  }
  // Returns the axis with all its labels.
  Axis All() const {
    return {std::string(name),
            std::string(prefix),
            {labels_, labels_ + first_more_},
            {labels_ + first_more_, labels_ + count_}};
  }

  std::string_view name, prefix;

 private:
  constexpr void Add(std::string_view label, const T& meaning) {
    labels_[count_] = label;
    meanings_[count_++] = meaning;
  }
  size_t Find(std::string_view label) const {
    for (size_t i = 0; i < count_; ++i) {
      if (labels_[i] == label) return i;
    }
    FailForUnlisted(name, label);
  }

  size_t first_more_, count_ = 0;
  std::string_view labels_[kMost] = {};
  T meanings_[kMost] = {};
};

}  // namespace cts
