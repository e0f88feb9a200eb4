#include "reference/ops/finding.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "reference/base/contains.h"
#include "reference/ops/edition_wording.h"

namespace cts {
namespace {

constexpr size_t kMostValues = 8;

// "A is not B, or that does not divide" -> "A is `found`, B is `expected`".
std::string BothSides(std::string_view paraphrase, const Breach& breach) {
  constexpr std::string_view kIsNot = " is not ";
  const size_t is_not = paraphrase.find(kIsNot);
  if (is_not == paraphrase.npos) {
    return StrCat(paraphrase, ": found ", breach.found(), ", expected ", breach.expected());
  }
  std::string_view right = paraphrase.substr(is_not + kIsNot.size());
  right = right.substr(0, right.find(", or "));
  return StrCat(paraphrase.substr(0, is_not), " is ", breach.found(), ", ", right, " is ",
                breach.expected());
}

// The operands and elements at which the predicate looked, in the order of the arguments, because
// the compiler chooses which of two shapes a comparison asks for first. Several elements without
// names of their own are a list.
std::string AskedFor(const Call& call, std::vector<Asked> asked) {
  const auto place = [&](const Asked& a) {
    const auto& arguments = call.arguments();
    return std::find_if(
               arguments.begin(), arguments.end(),
               [&](const Argument& argument) { return argument.spec->name == a.argument; }) -
           arguments.begin();
  };
  std::sort(asked.begin(), asked.end(), [&](const Asked& a, const Asked& b) {
    return std::pair(place(a), a) < std::pair(place(b), b);
  });
  const auto is_of_list = [&](const Asked& a) {
    return a.what == Asked::What::kElement && call.Length(a.argument) > 1 &&
           call.arguments()[static_cast<size_t>(place(a))].spec->elements.empty();
  };
  std::vector<std::string> values;
  for (const Asked& each : asked) {
    // A list's values already show its length.
    if (each.what == Asked::What::kCount && &each != &asked.front() &&
        (&each - 1)->argument == each.argument) {
      continue;
    }
    std::string value = call.Text(each);
    if (is_of_list(each)) {
      Shape list;
      for (int64_t i = 0; i < call.Length(each.argument); ++i) {
        list.push_back(call.Integer(each.argument, i));
      }
      value = StrCat(each.argument, " ", ToString(list));
    }
    if (!Contains(values, value)) values.push_back(value);
  }
  std::string text;
  for (size_t k = 0; k < std::min(values.size(), kMostValues); ++k) {
    text += (k == 0 ? "" : ", ") + values[k];
  }
  if (values.size() > kMostValues) text += StrCat(" and ", values.size() - kMostValues, " more");
  return text;
}

// " (K 3)": the sizes of the dimensions that a paraphrase names; empty if it names no dimension.
std::string SizesNamed(std::string_view paraphrase, const Call& call) {
  const std::vector<std::string> words = absl::StrSplit(std::string(paraphrase), ' ');
  std::vector<std::string> sizes;
  for (const Argument& argument : call.arguments()) {
    if (argument.tensors.empty() || argument.tensors[0] == nullptr) continue;
    const std::vector<Dimension>& dimensions = argument.spec->pattern.dimensions;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (!Contains(words, dimensions[i].name)) continue;
      const std::string size = StrCat(dimensions[i].name, " ", argument.tensors[0]->shape[i]);
      if (!Contains(sizes, size)) sizes.push_back(size);
    }
  }
  return sizes.empty() ? "" : StrCat(" (", absl::StrJoin(sizes, ", "), ")");
}

}  // namespace

std::string ExplainBroken(const Condition& condition, const Call& call) {
  Inquiry inquiry;
  const Breach breach =
      condition.broken == nullptr ? Breach() : condition.broken(call.RecordingIn(&inquiry));
  std::string text(condition.paraphrase);
  if (!breach.sentence().empty()) {
    text = breach.sentence();
  } else if (!breach.found().empty()) {
    text = BothSides(condition.paraphrase, breach);
  } else if (breach) {
    const std::string values =
        breach.values().empty() ? AskedFor(call, inquiry.asked) : breach.values();
    if (!values.empty()) text += ": found " + values;
  } else if (condition.broken == nullptr) {
    text += SizesNamed(condition.paraphrase, call);
  }
  // The call has shown itself as the operator's text sees it: its own specification is the view.
  return InEditionWords(call.given(), text);
}

}  // namespace cts
