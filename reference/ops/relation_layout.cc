// Relations of TRANSPOSE and RESIZE.
#include <algorithm>
#include <numeric>
#include <string>

#include "reference/ops/relation_tables.h"

namespace cts {
namespace {

std::vector<int64_t> ListOfPerms(const Call& call) {
  std::vector<int64_t> perms;
  for (int64_t i = 0; i < call.Length("perms"); ++i) perms.push_back(call.Integer("perms", i));
  return perms;
}

std::string Digits(const std::vector<int64_t>& numbers) {
  std::string digits;
  for (const int64_t number : numbers) digits += StrCat(number);
  return digits;
}

// One of the two directions of a RESIZE.
struct Scaling {
  int64_t in, out, n, d, offset, border;
};

Scaling ScalingOf(const Call& call, int64_t axis) {
  return {call.shape("input")[static_cast<size_t>(1 + axis)],
          call.shape("output")[static_cast<size_t>(1 + axis)],
          call.Integer("scale", 2 * axis),
          call.Integer("scale", 2 * axis + 1),
          call.Integer("offset", axis),
          call.Integer("border", axis)};
}

// Operands that come in at run time say nothing before.
bool KnowsScaling(const Call& call) {
  return call.Knows("scale") && call.Knows("offset") && call.Knows("border") &&
         call.Length("scale") == 4 && call.Length("offset") == 2 && call.Length("border") == 2;
}

}  // namespace

std::vector<Relation> TransposeRelations() {
  const std::string reason = "permutations have loops and merged axes of their own";
  std::vector<Relation> relations;
  for (size_t rank = 2; rank <= 4; ++rank) {
    std::vector<int64_t> perms(rank);
    std::iota(perms.begin(), perms.end(), 0);
    do {
      const std::string digits = Digits(perms);
      relations.push_back({"perms_" + digits, StrCat("perms is ", digits), reason,
                           [perms](const Call& call) { return ListOfPerms(call) == perms; }});
    } while (std::next_permutation(perms.begin(), perms.end()));
  }
  for (const int64_t rank : {5, 6}) {
    for (int64_t from = 0; from < rank; ++from) {
      for (int64_t to = 0; to < rank; ++to) {
        relations.push_back({StrCat("rank_", rank, "_axis_", from, "_to_", to),
                             StrCat("axis ", from, " of ", rank, " becomes axis ", to), reason,
                             [=](const Call& call) {
                               return call.Length("perms") == rank &&
                                      call.Integer("perms", to) == from;
                             }});
      }
    }
  }
  return relations;
}

std::vector<Relation> ResizeRelations() {
  std::vector<Relation> relations;
  const auto add = [&](const std::string& name, const std::string& meaning,
                       const std::string& reason, bool (*holds)(const Scaling&),
                       bool (*also)(const Call&) = nullptr) {
    for (const char* const mode : {"BILINEAR", "NEAREST_NEIGHBOR"}) {
      relations.push_back({StrCat(name, mode[0] == 'B' ? "_bilinear" : "_nearest"),
                           StrCat(meaning, ", in both directions, and mode is ", mode), reason,
                           [=](const Call& call) {
                             return call.Enum("mode") == mode && KnowsScaling(call) &&
                                    holds(ScalingOf(call, 0)) && holds(ScalingOf(call, 1)) &&
                                    (also == nullptr || also(call));
                           },
                           [=](const Edition&, const TypeRow& row) -> std::string_view {
                             const auto own = row.attributes.find("mode");
                             return own == row.attributes.end() || own->second == mode
                                        ? std::string_view()
                                        : "the type row has the other mode";
                           }});
    }
  };
  const std::string common = "common scales have kernels of their own";
  add("scale_1", "the scale is 1 without an offset", "it is taken for a copy",
      [](const Scaling& r) { return r.n == r.d && r.offset == 0 && r.border == 0; });
  add("scale_2", "the scale is 2/1 without an offset", common,
      [](const Scaling& r) { return r.n == 2 && r.d == 1 && r.offset == 0; });
  add("half_pixel_2", "the scale is 4/2 with offset -1 and border 1", common,
      [](const Scaling& r) { return r.n == 4 && r.d == 2 && r.offset == -1 && r.border == 1; });
  add("scale_half", "the scale is 1/2", common, [](const Scaling& r) { return 2 * r.n == r.d; });
  add("scale_3_halves", "the scale is 3/2", common,
      [](const Scaling& r) { return 2 * r.n == 3 * r.d; });
  add("scale_8", "the scale is 8/1", common, [](const Scaling& r) { return r.n == 8 * r.d; });
  add("align_corners", "the corners are aligned", common, [](const Scaling& r) {
    return r.in > 1 && r.out > 1 && r.n != r.d && r.n * (r.in - 1) == r.d * (r.out - 1) &&
           r.offset == 0 && r.border == 0;
  });
  add("one_row_or_column", "the input has one element", "nothing lies between two elements",
      [](const Scaling& r) { return r.in == 1 && r.out > 1; });
  add("one_output", "the output has one element", "it is no loop any more",
      [](const Scaling& r) { return r.out == 1; });
  add(
      "equal_scales", "the scales are equal", "one table of weights serves both directions",
      [](const Scaling&) { return true; },
      [](const Call& call) {
        const Scaling y = ScalingOf(call, 0), x = ScalingOf(call, 1);
        return y.n == x.n && y.d == x.d && y.n != y.d;
      });
  for (const int64_t step : {4, 8, 16}) {
    relations.push_back({StrCat("channels_", step), StrCat("the channels are a multiple of ", step),
                         "vectors hold so many",
                         [=](const Call& call) { return call.shape("input")[3] % step == 0; }});
  }
  relations.push_back({"channels_rest", "the channels are above 4 and no multiple of 4",
                       "a vector is left that is not full", [](const Call& call) {
                         const int64_t channels = call.shape("input")[3];
                         return channels > 4 && channels % 4 != 0;
                       }});
  relations.push_back({"batch", "the batch is above 1", "batches are divided among cores",
                       [](const Call& call) { return call.shape("input")[0] > 1; }});
  return relations;
}

}  // namespace cts
