// SPDX-License-Identifier: Apache-2.0
// Lists the exceptions from the rules of design (design_test.cpp). Each entry has a reason, and its number is the
// present count. The lists may only shrink.
#pragma once
#include <array>
#include <string_view>

namespace mbc::house {

struct Allowed {
  std::string_view what;
  int count;
  std::string_view why;
};

// These base classes are not interfaces. The count is the number of derived classes.
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
    {"KernelRunner", 1, "equations of a run, in two parts"},
};

// These classes have friends.
inline constexpr std::array<Allowed, 0> kFriends{};

// These enums repeat a list of names. The count is the number of enums with this list.
inline constexpr std::array<Allowed, 0> kEnums{};

// These classes have public mutable data. The count is the number of these members.
inline constexpr Allowed kOpenData[] = {
    {"LanePlaces", 4, "places that are given out one by one"},
    {"Settings", 3, "what is read of a `simulate` block so far"},
    {"TruncatedInverse", 2, "its parts, which their owner fills"},
    {"SeriesCode", 2, "the two blocks it writes"},
    {"Certification", 1, "whether a search may change the mode"},
    {"Collector", 1, "names in the order they are met"},
    {"KernelRunner", 1, "whether loads that hold multipliers are solved for"},
    {"LaneTemplate", 1, "its graph"},
    {"Scope", 1, "the instance it belongs to"},
};

// These constants of the runtime stand outside of its table of tolerances, by folder.
inline constexpr Allowed kConstantsLeft[] = {
    {"runtime/constraints", 6, "the sizes of drawn states"},
    {"runtime/contact", 20, "the contact solver"},
    {"runtime/equations", 1, "to follow"},
    {"runtime/events", 31, "to follow"},
    {"runtime/integrators", 3, "coefficients of two methods"},
    {"runtime/record", 27, "to follow"},
    {"runtime/rows", 21, "the solvers of the contact problem"},
    {"runtime/run", 1, "to follow"},
    {"runtime/simulation", 1, "to follow"},
    {"runtime/singular", 65, "to follow"},
    {"runtime/state", 4, "to follow"},
    {"runtime/step", 30, "to follow"},
};

// These tolerances have neither a test that fails when they are off by 100 nor a range.
inline constexpr Allowed kTolerancesWithoutProof[] = {
    {"open", 56, "their tests are not known yet"},
};

// Words of identifiers that have one of the field in their place (docs/notation.md).
inline constexpr std::string_view kWordsNotUsed[] = {
    "kink",   "kinks",  "blow",    "blows",     "leap",      "leaps",   "dip",      "dips",
    "hosted", "course", "courses", "followers", "steepness", "passage", "passages", "implicit"};

// The count is that of the identifiers that still have the word.
inline constexpr Allowed kWordsLeft[] = {
    {"implicit", 10, "implicit methods of integration and the implicit QR step"},
    {"kink", 85, "`kinks` is a word of the language"},
    {"kinks", 125, "`kinks` is a word of the language"},
};

// Comments that begin with a clause instead of a subject, by folder.
inline constexpr Allowed kFragmentsLeft[] = {
    {"tools", 1, "a line of a model inside a string"},
};

}  // namespace mbc::house
