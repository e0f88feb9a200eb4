#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/base/float_format.h"
#include "tools/program/shrink/case_edits.h"
#include "tools/program/shrink/case_size.h"
#include "tools/program/shrink/steps.h"

namespace cts {
namespace {

template <class T>
std::vector<T> Ordered(T value, std::vector<T> simpler) {
  std::erase_if(simpler, [&](T each) { return !(Complexity(each) < Complexity(value)); });
  std::stable_sort(simpler.begin(), simpler.end(),
                   [](T a, T b) { return Complexity(a) < Complexity(b); });
  simpler.erase(std::unique(simpler.begin(), simpler.end()), simpler.end());
  return simpler;
}

// Simpler values of a number, the simplest first.
std::vector<int64_t> Simpler(int64_t value) {
  std::vector<int64_t> simpler = {0, 1};
  if (value < 0) simpler.push_back(-1);
  for (const int shift : {16, 8, 4, 2, 1}) {
    if (const int64_t part = value / (int64_t{1} << shift); part != 0) simpler.push_back(part);
  }
  if (value != INT64_MIN) {
    const auto power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::abs(value))));
    simpler.push_back(value < 0 ? -power : power);
  }
  return Ordered(value, std::move(simpler));
}
std::vector<double> Simpler(double value) {
  std::vector<double> simpler = {0, 1, -1};
  if (std::isfinite(value) && value != 0) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    for (const int bits : {1, 2, 4, 8, 12, 16}) {
      simpler.push_back(std::ldexp(std::trunc(std::ldexp(mantissa, bits)), exponent - bits));
    }
    for (const int scale : {1, exponent / 2, exponent / 4 * 3}) {
      simpler.push_back(std::ldexp(mantissa, scale));
      simpler.push_back(std::ldexp(mantissa < 0 ? -0.5 : 0.5, scale));
    }
    simpler.push_back(-value);
  }
  return Ordered(value, std::move(simpler));
}
// All zero, all one, then every number alone.
std::vector<std::vector<int64_t>> SimplerLists(const std::vector<int64_t>& list) {
  std::vector<std::vector<int64_t>> simpler = {std::vector<int64_t>(list.size(), 0),
                                               std::vector<int64_t>(list.size(), 1)};
  for (size_t i = 0; i < list.size(); ++i) {
    for (const int64_t each : Simpler(list[i])) {
      simpler.push_back(list);
      simpler.back()[i] = each;
    }
  }
  return simpler;
}

std::vector<AttributeValue> SimplerAttributes(const Search& search, const AttributeValue& value) {
  std::vector<AttributeValue> simpler;
  if (const auto* flag = std::get_if<bool>(&value)) {
    if (*flag) simpler.emplace_back(false);
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    for (const int64_t each : Simpler(*number)) simpler.emplace_back(each);
  } else if (const auto* real = std::get_if<double>(&value)) {
    for (const double each : Simpler(*real)) simpler.emplace_back(each);
  } else if (const auto* name = std::get_if<std::string>(&value)) {
    for (const EnumSpec& each : search.edition().enums) {
      const int64_t position = EnumPosition(search.edition(), *name);
      if (position == 0 || position >= static_cast<int64_t>(each.values.size())) continue;
      if (each.values[static_cast<size_t>(position)].name != *name) continue;
      simpler.emplace_back(each.values[0].name);
    }
  } else {
    for (const std::vector<int64_t>& list : SimplerLists(std::get<std::vector<int64_t>>(value))) {
      simpler.emplace_back(list);
    }
  }
  return simpler;
}

// The values that most often do not matter, all at once.
void TryNeutral(Search& search) {
  Case c = search.best();
  for (GraphOperator& op : c.graph.main().operators) {
    for (auto& [name, value] : op.attributes) {
      auto* list = std::get_if<std::vector<int64_t>>(&value);
      if (list == nullptr) continue;
      if (name == "stride" || name == "dilation") list->assign(list->size(), 1);
      if (name == "pad" || name == "out_pad") list->assign(list->size(), 0);
    }
  }
  search.Try(std::move(c));
}

// One element of an input in one execution (-1: of a constant).
struct ElementPlace {
  std::string tensor;
  int execution = -1;
  int64_t offset = 0;
};

const Tensor& At(const Case& c, const ElementPlace& place) {
  if (place.execution < 0) return *c.graph.main().Find(place.tensor)->values;
  return c.InputsOfExecutions()[static_cast<size_t>(place.execution)]->at(place.tensor);
}
// Sets elements of one case, each tensor copied once.
void Set(Case& c, const std::vector<std::pair<ElementPlace, double>>& reals,
         const std::vector<std::pair<ElementPlace, int64_t>>& integers) {
  std::map<std::pair<std::string, int>, Tensor> changed;
  const auto tensor = [&](const ElementPlace& place) -> Tensor& {
    return changed.try_emplace({place.tensor, place.execution}, At(c, place)).first->second;
  };
  for (const auto& [place, value] : reals) tensor(place).SetValue(place.offset, value);
  for (const auto& [place, value] : integers) tensor(place).SetInteger(place.offset, value);
  for (auto& [where, value] : changed) {
    if (where.second < 0) {
      Find(c.graph.main(), where.first)->values = std::make_shared<const Tensor>(std::move(value));
    } else {
      InputsOf(c)[static_cast<size_t>(where.second)]->insert_or_assign(where.first,
                                                                       std::move(value));
    }
  }
}
void SetAll(Case& c, const std::vector<ElementPlace>& places, int64_t value) {
  std::vector<std::pair<ElementPlace, double>> reals;
  std::vector<std::pair<ElementPlace, int64_t>> integers;
  for (const ElementPlace& place : places) {
    if (IsFloat(At(c, place).dtype())) {
      reals.emplace_back(place, static_cast<double>(value));
    } else {
      integers.emplace_back(place, value);
    }
  }
  Set(c, reals, integers);
}

// Elements that are more than `complexity`.
std::vector<ElementPlace> PlacesAbove(const Search& search, int64_t complexity) {
  std::vector<ElementPlace> places;
  for (const std::string& name : search.Leaves()) {
    const bool constant = search.best().graph.main().Find(name)->values != nullptr;
    for (int k = constant ? -1 : 0; k < (constant ? 0 : search.best().executions()); ++k) {
      const ElementPlace first{name, k, 0};
      const Tensor& tensor = At(search.best(), first);
      for (int64_t i = 0; i < tensor.size(); ++i) {
        if (ElementComplexity(tensor, i) > complexity) places.push_back({name, k, i});
      }
    }
  }
  return places;
}

void SimplifyElement(Search& search, const ElementPlace& place) {
  while (!search.Over()) {
    const Tensor& tensor = At(search.best(), place);
    bool changed = false;
    if (IsFloat(tensor.dtype())) {
      for (const double value : Simpler(tensor.Value(place.offset))) {
        Case c = search.best();
        Set(c, {{place, value}}, {});
        if ((changed = search.Try(std::move(c)))) break;
      }
    } else {
      for (const int64_t value : Simpler(tensor.Integer(place.offset))) {
        Case c = search.best();
        Set(c, {}, {{place, value}});
        if ((changed = search.Try(std::move(c)))) break;
      }
    }
    if (!changed) return;
  }
}

}  // namespace

void SimplifyAttributes(Search& search) {
  TryNeutral(search);
  for (size_t i = 0; i < search.best().graph.main().operators.size(); ++i) {
    const GraphOperator op = search.best().graph.main().operators[i];
    if (IsConstant(op)) continue;
    for (const auto& [name, unused] : op.attributes) {
      while (!search.Over()) {
        bool changed = false;
        for (AttributeValue& value : SimplerAttributes(
                 search, search.best().graph.main().operators[i].attributes.at(name))) {
          Case c = search.best();
          c.graph.main().operators[i].attributes[name] = std::move(value);
          if ((changed = search.Try(std::move(c)))) break;
        }
        if (!changed) break;
      }
    }
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      while (!search.Over()) {
        bool changed = false;
        const GraphTensor* operand = ShapeOperand(search.best().graph.main(), op, k);
        if (operand == nullptr) break;
        for (const std::vector<int64_t>& values : SimplerLists(operand->values->Integers())) {
          Case c = search.best();
          SetOperand(*Find(c.graph.main(), op.inputs[k]), values);
          for (Case& variant : BorderVariants(search, std::move(c))) {
            if ((changed = search.Try(std::move(variant)))) break;
          }
          if (changed) break;
        }
        if (!changed) break;
      }
    }
  }
}

void SimplifyValues(Search& search) {
  // As many as possible to zero, tensor by tensor; then to one.
  for (const int64_t value : {0, 1}) {
    for (const std::string& name : search.Leaves()) {
      std::vector<ElementPlace> places = PlacesAbove(search, value);
      std::erase_if(places, [&](const ElementPlace& place) { return place.tensor != name; });
      if (places.empty()) continue;
      Reduce(places.size(), 0, [&](const std::vector<size_t>& keep) {
        std::vector<ElementPlace> kept, gone;
        size_t next = 0;
        for (size_t i = 0; i < places.size(); ++i) {
          const bool stays = next < keep.size() && keep[next] == i;
          next += stays;
          (stays ? kept : gone).push_back(places[i]);
        }
        Case c = search.best();
        SetAll(c, gone, value);
        if (!search.Try(std::move(c))) return false;
        places = std::move(kept);
        return true;
      });
      if (search.Over()) return;
    }
  }
  // Each alone. With very many values, every step of each would take a run.
  constexpr size_t kMany = 64;
  const std::vector<ElementPlace> places = PlacesAbove(search, 1);
  if (places.size() > kMany) return;
  for (const ElementPlace& place : places) SimplifyElement(search, place);
}

}  // namespace cts
