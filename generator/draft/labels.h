// The labels chosen for the axes of a case, and the guard, a check that finds misspelt axes and
// labels. The program ends with an error if code asks for an axis that the domain does not have. It
// also ends if code compares a label with a text that is no label of the axis. The message lists
// the existing names.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cts {

// The axes of a domain, in any edition, level and type row, and all their labels.
struct DeclaredAxes {
  std::string owner;  // "CLAMP", "graphs/clamp-clamp"
  std::map<std::string, std::set<std::string>, std::less<>> labels;
};

// Writes "CLAMP: axis bounds has no label `narow`; its labels are `full`, `half`, `narrow`" and
// ends the program.
[[noreturn]] void FailForLabel(const DeclaredAxes& declared, std::string_view axis,
                               std::string_view what);

// The label chosen for one axis. It is empty if this type row does not have the axis.
class Label {
 public:
  Label(const std::string& text, std::string_view axis, const DeclaredAxes* declared)
      : text_(text), axis_(axis), declared_(declared) {}

  bool empty() const { return text_.empty(); }
  // Each of these functions ends the program if its result would be false for every label of the
  // axis.
  bool operator==(std::string_view label) const;
  bool starts_with(std::string_view start) const;
  bool ends_with(std::string_view end) const;
  // Looks the label up in a table that has a value for every label of the axis, and returns the
  // value. Ends the program if the table lacks the label, or has one that the axis does not have.
  template <typename T>
  T In(std::initializer_list<std::pair<std::string_view, T>> meanings) const {
    for (const auto& [label, value] : meanings) CheckKnown(label);
    for (const auto& [label, value] : meanings) {
      if (label == text_) return value;
    }
    FailForMeaning();
  }
  // Ends the program unless the label is one of these. Call it at the end of a chain of ifs, so
  // that a label that is added to the axis later is not treated as one of these.
  void MustBe(std::initializer_list<std::string_view> labels) const;
  // Returns the label `text` of the same axis.
  Label Other(const std::string& text) const {
    CheckKnown(text);
    return {text, axis_, declared_};
  }
  // For code that reads shapes and numbers from the label. Do not compare the text: use operator==.
  const std::string& text() const { return text_; }
  // Ends the program with the message that the calling code has no meaning for the label.
  [[noreturn]] void FailForMeaning() const;

 private:
  void CheckKnown(std::string_view label) const;

  const std::string& text_;
  std::string_view axis_;
  const DeclaredAxes* declared_;
};

// The labels chosen, by axis.
class Labels {
 public:
  // Labels without the guard, for breakers, limits and tests.
  Labels() = default;
  Labels(std::initializer_list<std::pair<const std::string, std::string>> labels)
      : labels_(labels) {}
  // Labels with the guard. If `named` is not null, it has the axes that a constraint declares
  // (Constraint::axes), and the constraint may ask only for these axes. `named` must outlive the
  // labels and all copies.
  explicit Labels(std::shared_ptr<const DeclaredAxes> declared,
                  const std::vector<std::string_view>* named = nullptr)
      : declared_(std::move(declared)), named_(named) {}

  // Ends the program if the domain has no such axis in any type row.
  Label operator[](std::string_view axis) const;
  // The meaning of the label of a typed axis (axis.h).
  template <class TypedAxis>
  auto operator[](const TypedAxis& axis) const -> decltype(axis.Meaning({})) {
    return axis.Meaning((*this)[std::string_view(axis.name)].text());
  }
  // The text of a label, for ids and messages.
  template <class TypedAxis>
  const std::string& Text(const TypedAxis& axis) const {
    return (*this)[std::string_view(axis.name)].text();
  }
  // Whether the label chosen for the axis is `label`. Ends the program if the axis has this label
  // in no type row.
  template <class TypedAxis>
  bool Is(const TypedAxis& axis, std::string_view label) const {
    return (*this)[std::string_view(axis.name)] == label;
  }
  bool Has(std::string_view axis) const { return labels_.find(axis) != labels_.end(); }
  void Set(std::string axis, std::string label) { labels_[std::move(axis)] = std::move(label); }
  // Returns these labels with the guard of `other`. Ends the program if they name an axis that
  // `other` cannot have.
  Labels GuardedAs(const Labels& other) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return labels_; }

 private:
  std::map<std::string, std::string, std::less<>> labels_;
  std::shared_ptr<const DeclaredAxes> declared_;
  const std::vector<std::string_view>* named_ = nullptr;
};

}  // namespace cts
