#include "generator/draft/labels.h"

#include <algorithm>

#include "generator/draft/axis.h"
#include "reference/base/contains.h"
#include "reference/base/end_program.h"
#include "reference/base/status.h"

namespace cts {
namespace {

// Code that serves many domains asks for these, whether or not the domain at hand has them.
struct SharedLabel {
  std::string_view axis, label;
};
constexpr SharedLabel kSharedLabels[] = {
    {"data", "accumulator"}, {"data", "crossed"},    {"data", "exhaustive16"},
    {"data", "exhaustive8"}, {"data", "extremes"},   {"data", "full-range"},
    {"data", "limits"},      {"data", "special"},    {"data", "unit"},
    {"data", "S0"},          {"data", "S1"},         {"data", "S2"},
    {"data", "S3"},          {"data", "S4"},         {"data", "S5"},
    {"operands", "same"},    {"rounding", "double"}, {"shape", "256"},
    {"shape", "256x256"},    {"shape", "1x65539"},   {"shapes", "256x256+256x256"},
};

template <typename Names>
std::string Quoted(const Names& names) {
  std::string text;
  for (const auto& name : names) text += StrCat(text.empty() ? "`" : ", `", name, "`");
  return text;
}

template <typename Predicate>
bool SomeLabel(const DeclaredAxes& declared, std::string_view axis, Predicate holds) {
  for (const SharedLabel& shared : kSharedLabels) {
    if (shared.axis == axis && holds(shared.label)) return true;
  }
  const auto found = declared.labels.find(axis);
  return found != declared.labels.end() &&
         std::any_of(found->second.begin(), found->second.end(), holds);
}

// An axis that the domain does not have, or that a constraint does not name.
template <typename Names>
[[noreturn]] void FailForAxis(const DeclaredAxes& declared, std::string_view axis,
                              std::string_view who, const Names& names) {
  EndProgram(declared.owner, ": found axis `", axis, "`, expected one that ", who, ": ",
             Quoted(names));
}

}  // namespace

void FailForUnlisted(std::string_view axis, std::string_view label) {
  EndProgram("found label `", label, "`, expected one that axis ", axis, " lists");
}

void FailForLabel(const DeclaredAxes& declared, std::string_view axis, std::string_view what) {
  const auto found = declared.labels.find(axis);
  EndProgram(declared.owner, ": axis ", axis, " has no ", what, "; its labels are ",
             found == declared.labels.end() ? "none" : Quoted(found->second));
}

void Label::CheckKnown(std::string_view label) const {
  if (declared_ == nullptr || text_ == label) return;
  if (SomeLabel(*declared_, axis_, [&](std::string_view known) { return known == label; })) return;
  FailForLabel(*declared_, axis_, StrCat("label `", label, "`"));
}

void Label::FailForMeaning() const {
  const DeclaredAxes unknown{"a choice", {}};
  FailForLabel(declared_ == nullptr ? unknown : *declared_, axis_,
               StrCat("meaning for label `", text_, "`"));
}

void Label::MustBe(std::initializer_list<std::string_view> labels) const {
  for (const std::string_view label : labels) CheckKnown(label);
  if (!Contains(labels, text_)) FailForMeaning();
}

bool Label::operator==(std::string_view label) const {
  CheckKnown(label);
  return text_ == label;
}

bool Label::starts_with(std::string_view start) const {
  if (text_.starts_with(start)) return true;
  const auto starts = [&](std::string_view known) { return known.starts_with(start); };
  if (declared_ != nullptr && !SomeLabel(*declared_, axis_, starts)) {
    FailForLabel(*declared_, axis_, StrCat("label that starts with `", start, "`"));
  }
  return false;
}

bool Label::ends_with(std::string_view end) const {
  if (text_.ends_with(end)) return true;
  const auto ends = [&](std::string_view known) { return known.ends_with(end); };
  if (declared_ != nullptr && !SomeLabel(*declared_, axis_, ends)) {
    FailForLabel(*declared_, axis_, StrCat("label that ends with `", end, "`"));
  }
  return false;
}

Label Labels::operator[](std::string_view axis) const {
  static const std::string undecided;
  if (named_ != nullptr && !Contains(*named_, axis)) {
    FailForAxis(*declared_, axis, "the constraint names", *named_);
  }
  if (const auto found = labels_.find(axis); found != labels_.end()) {
    return {found->second, found->first, declared_.get()};
  }
  if (declared_ == nullptr) return {undecided, "", nullptr};
  const auto declared = declared_->labels.find(axis);
  if (declared == declared_->labels.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, labels] : declared_->labels) names.push_back(name);
    FailForAxis(*declared_, axis, "the domain has", names);
  }
  return {undecided, declared->first, declared_.get()};
}

Labels Labels::GuardedAs(const Labels& other) const {
  Labels guarded(other.declared_, other.named_);
  for (const auto& [axis, label] : labels_) (void)guarded[axis];
  guarded.labels_ = labels_;
  return guarded;
}

}  // namespace cts
