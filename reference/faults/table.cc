// Faults of TABLE.
#include <algorithm>

#include "reference/faults/functions.h"

namespace cts::table_faults {
namespace {

// The result for an element, from the table; places outside of it are 0.
struct Lookup {
  const Tensor& table;
  int64_t operator()(int64_t i) const { return 0 <= i && i < table.size() ? table.Integer(i) : 0; }
};

Wrong ByLookup(int64_t (*f)(const Lookup& table, int64_t x)) {
  return [f](const Operator& self, const Call& call) -> std::optional<OperatorOutputs> {
    const Lookup table{*call.values("table")};
    return ByInteger([&](DType, int64_t x) { return f(table, x); })(self, call);
  };
}

Fault OfI8(const std::string& what, std::string sentence, int64_t (*f)(const Lookup&, int64_t)) {
  return Hardware("TABLE", what, std::move(sentence), "TABLE: entry x + 128 of an i8",
                  Rows("in_t", {DType::kI8}), ByLookup(f));
}
Fault OfI16(const std::string& what, std::string sentence, int64_t (*f)(const Lookup&, int64_t)) {
  return Hardware("TABLE", what, std::move(sentence),
                  "apply_lookup_s: 9 bits of index, 7 of interpolation",
                  Rows("in_t", {DType::kI16}), ByLookup(f));
}

// The segment of an i16 and the place in it, as they should be.
int64_t Index(int64_t x) { return (x + 32768) >> 7; }
int64_t FractionOf(int64_t x) { return x & 127; }
int64_t Slope(const Lookup& table, int64_t i) { return table(i + 1) - table(i); }

}  // namespace

// The slope of neighbours fits 16 bits, or the result is unpredictable. An implementation that
// keeps 16 bits of it is therefore right.
Faults TableFaults() {
  return {
      OfI8("index_without_offset", "takes x as an unsigned index",
           [](const Lookup& table, int64_t x) { return table(x & 255); }),
      OfI8("index_one_less", "takes the entry before",
           [](const Lookup& table, int64_t x) { return table(std::max<int64_t>(x + 127, 0)); }),
      OfI8("index_one_more", "takes the entry behind",
           [](const Lookup& table, int64_t x) { return table(std::min<int64_t>(x + 129, 255)); }),
      OfI8("index_of_7_bits", "keeps 7 bits of the index",
           [](const Lookup& table, int64_t x) { return table((x + 128) & 127); }),
      OfI8("symmetric", "takes the entry of -127 for -128",
           [](const Lookup& table, int64_t x) { return table(std::max<int64_t>(x, -127) + 128); }),
      OfI8("unsigned_entries", "saturates unsigned entries to i8",
           [](const Lookup& table, int64_t x) {
             return std::min<int64_t>(table(x + 128) & 255, 127);
           }),
      OfI16("no_interpolation", "takes the entry at the start of the segment",
            [](const Lookup& table, int64_t x) { return table(Index(x)) * 128; }),
      OfI16("nearest_entry", "takes the nearer entry",
            [](const Lookup& table, int64_t x) { return table((x + 32768 + 64) >> 7) * 128; }),
      OfI16("segment_one_more", "takes the segment behind",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x) + 1;
              return table(i) * 128 + Slope(table, i) * FractionOf(x);
            }),
      OfI16("segment_one_less", "takes the segment before",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x) - 1;
              return table(i) * 128 + Slope(table, i) * FractionOf(x);
            }),
      OfI16("last_segment_is_flat", "takes entry 511 for entry 512",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              return table(i) * 128 +
                     (table(std::min<int64_t>(i + 1, 511)) - table(i)) * FractionOf(x);
            }),
      OfI16("truncates_index", "divides x by 128 toward zero",
            [](const Lookup& table, int64_t x) {
              const int64_t i = x / 128 + 256;
              return table(i) * 128 + Slope(table, i) * (x % 128);
            }),
      OfI16("fraction_of_magnitude", "takes the low 7 bits of the magnitude",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              return table(i) * 128 + Slope(table, i) * FractionOf(x < 0 ? -x : x);
            }),
      OfI16("fraction_of_6_bits", "loses the last bit of the place in the segment",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              return table(i) * 128 + Slope(table, i) * (FractionOf(x) & ~int64_t{1});
            }),
      OfI16("rounds_to_entries", "rounds the interpolated number to 16 bits",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              const int64_t value = table(i) * 128 + Slope(table, i) * FractionOf(x);
              return (value + 64) >> 7 << 7;
            }),
      OfI16("truncates_to_entries", "cuts the interpolated number to 16 bits",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              return (table(i) * 128 + Slope(table, i) * FractionOf(x)) >> 7 << 7;
            }),
      OfI16("stores_16_bits", "stores the upper 16 bits of the 23 that the result has",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              return (table(i) * 128 + Slope(table, i) * FractionOf(x)) >> 7;
            }),
      OfI16("slope_of_15_bits", "saturates the slope to 15 bits",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              return table(i) * 128 +
                     std::clamp<int64_t>(Slope(table, i), -16384, 16383) * FractionOf(x);
            }),
      OfI16("symmetric_segments", "takes -32767 for -32768",
            [](const Lookup& table, int64_t x) {
              x = std::max<int64_t>(x, -32767);
              const int64_t i = Index(x);
              return table(i) * 128 + Slope(table, i) * FractionOf(x);
            }),
      OfI16("weights_in_fp16", "interpolates in fp16",
            [](const Lookup& table, int64_t x) {
              const int64_t i = Index(x);
              const double weight = static_cast<double>(FractionOf(x)) / 128;
              const double value =
                  static_cast<double>(table(i)) + weight * static_cast<double>(Slope(table, i));
              return static_cast<int64_t>(RoundTo(DType::kFp16, value) * 128);
            }),
  };
}

}  // namespace cts::table_faults
