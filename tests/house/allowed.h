// SPDX-License-Identifier: Apache-2.0
// What the rules of design (design_test.cpp) still let pass. Each entry has its reason, and its number is what there
// is: the lists may only shrink.
#pragma once
#include <string_view>

namespace mbc::house {

struct Allowed {
  std::string_view what;
  int count;
  std::string_view why;
};

// Bases that are no interfaces; the count is that of the classes made of them.
inline constexpr Allowed kBases[] = {
    {"std::logic_error", 2, "exceptions of the standard library"},
    {"std::runtime_error", 1, "exceptions of the standard library"},
    {"antlr4::ANTLRErrorStrategy", 1, "ANTLR asks for it"},
    {"Strategy", 2, "what two strategies of ANTLR share"},
    {"nlohmann::json_sax", 1, "the JSON library asks for it"},
    {"octave_base_value", 1, "GNU Octave asks for it"},
    {"ValueChecks", 10, "the evaluators of expressions share their checks and refusals"},
    {"Statement", 15, "the elaborators of statements share the model, the scope and the sink"},
    {"SeriesCode", 1, "the code of a series and the recurrences written in it"},
    {"Meaning", 1, "plain data"},
    {"Arguments", 1, "plain data"},
    {"KernelArrays", 1, "equations of a run, in three parts"},
    {"KernelRunner", 1, "equations of a run, in three parts"},
};

// Classes with friends.
inline constexpr Allowed kFriends[] = {
    {"EventRun", 1, "steps that a host makes"},
    {"EventWatch", 1, "steps that a host makes"},
};

// Enums of one list of names, by that list; the count is that of the enums.
inline constexpr Allowed kEnums[] = {
    {"settled undefined failed", 3, "the contact solvers"},
};

// Classes with data that anybody may change; the count is that of these data.
inline constexpr Allowed kOpenData[] = {
    {"UnrolledValues", 22, "what it gathers is read and taken"},
    {"LanePlaces", 4, "places that are given out one by one"},
    {"Equations", 1, "how shares of multipliers are found, set by a run"},
    {"Settings", 3, "what is read of a `simulate` block so far"},
    {"CountedInverse", 2, "its parts, which their owner fills"},
    {"SeriesCode", 2, "the two blocks it writes"},
    {"Certification", 1, "whether a search may change the mode"},
    {"Collector", 1, "names in the order they are met"},
    {"KernelArrays", 1, "whether loads that hold multipliers are solved for"},
    {"LaneTemplate", 1, "its graph"},
    {"Scope", 1, "the instance it belongs to"},
};

}  // namespace mbc::house
