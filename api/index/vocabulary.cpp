// SPDX-License-Identifier: Apache-2.0
// The words of the language, from the tables of the compiler; the descriptions of the built-in ones are in this file.
#include "mbc/vocabulary.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/settings.h"
#include "compiler/parse/words.h"
#include "compiler/sema/expressions/functions.h"
#include "compiler/sema/expressions/names.h"
#include "compiler/sema/expressions/types.h"
#include "compiler/sema/modules.h"
#include "compiler/sema/units.h"

namespace mbc {

namespace {

struct Said {
  std::string_view arguments, meaning;
};

// Lists the built-in names; `mbc_unit_index` compares them with those of the compiler.
const std::map<std::string_view, Said>& builtins() {
  static const std::map<std::string_view, Said> kSaid = {
      {"t", {"", "time"}},
      {"pi", {"", "3.14159..."}},
      {"ex", {"", "the unit vector of the x axis"}},
      {"ey", {"", "the unit vector of the y axis"}},
      {"ez", {"", "the unit vector of the z axis"}},
      {"ground", {"", "the origin and the axes of the inertial frame"}},
      {"energy", {"", "`energy.kinetic`, `energy.potential`, `energy.total` of the model"}},
      {"momentum", {"", "`momentum.linear`, `momentum.angular` about the origin"}},
      {"residuals", {"", "the residuals of all constraint rows, in tests only"}},
      {"sin", {"x", "sine of an angle in rad"}},
      {"cos", {"x", "cosine of an angle in rad"}},
      {"tan", {"x", "tangent of an angle in rad"}},
      {"asin", {"x", "inverse of the sine, for -1 <= x <= 1"}},
      {"acos", {"x", "inverse of the cosine, for -1 <= x <= 1"}},
      {"atan", {"x", "inverse of the tangent"}},
      {"exp", {"x", "exponential function"}},
      {"ln", {"x", "natural logarithm, for x > 0"}},
      {"log", {"x", "logarithm to base 10, for x > 0"}},
      {"sinh", {"x", "hyperbolic sine"}},
      {"cosh", {"x", "hyperbolic cosine"}},
      {"tanh", {"x", "hyperbolic tangent"}},
      {"asinh", {"x", "inverse of the hyperbolic sine"}},
      {"acosh", {"x", "inverse of the hyperbolic cosine, for x >= 1"}},
      {"atanh", {"x", "inverse of the hyperbolic tangent, for -1 < x < 1"}},
      {"floor", {"x", "the largest whole number not above x"}},
      {"atan2", {"y,x", "the angle of the point (x, y), from -pi to pi"}},
      {"sqrt", {"x", "square root, for x >= 0"}},
      {"abs", {"x", "absolute value"}},
      {"sign", {"x", "-1, 0 or 1"}},
      {"min", {"a,b,...", "the smallest of two or more numbers"}},
      {"max", {"a,b,...", "the largest of two or more numbers"}},
      {"dot", {"a,b", "scalar product of two vectors"}},
      {"cross", {"a,b", "vector product; a number for two vectors of 2"}},
      {"norm", {"a", "length of a vector"}},
      {"unit", {"a", "a/norm(a), a pure direction"}},
      {"dist", {"a,b", "distance of two places: vectors, particles, points, `ground`"}},
      {"perp1", {"a", "a unit vector normal to a"}},
      {"perp2", {"a", "the unit vector normal to a and perp1(a)"}},
      {"sum", {"e for i in 1..n", "the sum of e over all i"}},
      {"table",
       {"x,points,values,method = cubic,smooth = 2,beyond = hold",
        "a function given by points, at x; `table(x, \"FILE.csv\", column = \"NAME\")` reads them from a file"}},
      {"diag", {"a,b,c", "a diagonal matrix"}},
      {"rotx", {"angle", "rotation about the x axis"}},
      {"roty", {"angle", "rotation about the y axis"}},
      {"rotz", {"angle", "rotation about the z axis"}},
      {"rot", {"axis,angle", "rotation about an axis; `rot(angle)` in `space 2`"}},
      {"transpose", {"R", "transposed matrix"}},
      {"min_over", {"e", "the smallest value of e over a run, in tests and sweeps"}},
      {"max_over", {"e", "the largest value of e over a run, in tests and sweeps"}},
      {"initial", {"e", "e at the beginning of a run"}},
      {"final", {"e", "e in the last row of a run, in tests and sweeps"}},
  };
  return kSaid;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

std::vector<BuiltinInfo> described(const std::vector<std::string>& names) {
  std::vector<BuiltinInfo> out;
  for (const std::string& name : names) {
    const auto said = builtins().find(name);
    if (said == builtins().end())
      out.push_back({name, {}, ""});
    else
      out.push_back({name, split(said->second.arguments), std::string(said->second.meaning)});
  }
  return out;
}

std::vector<SettingInfo> settings_info() {
  std::vector<SettingInfo> out;
  for (const std::string& key : settings::keys()) {
    SettingInfo info{key, {}};
    for (const settings::ChoiceInfo& choice : settings::choices(*settings::key_named(key))) {
      SettingInfo::Choice made{choice.name, {}};
      for (const settings::ArgumentInfo& a : choice.arguments)
        made.arguments.emplace_back(settings::to_text(a.argument));
      info.choices.push_back(std::move(made));
    }
    out.push_back(std::move(info));
  }
  return out;
}

Vocabulary collect() {
  Vocabulary out;
  out.reserved = syntax::reserved_words();
  for (const std::string& word : syntax::statement_words())
    out.statements.push_back({word, syntax::modifiers_after(word)});
  out.modifiers = syntax::modifier_words();
  out.entries = syntax::entry_words();
  out.actions = syntax::action_words();
  out.values = described(sema::Names::builtin_values());
  out.functions = described(sema::Functions::names());
  out.types = sema::Types::names();
  out.settings = settings_info();
  out.units = sema::unit_names();
  out.modules = sema::standard_modules();
  out.body_arguments = {{"mass", "required"},
                        {"inertia", "required: a matrix, in `space 2` a number"},
                        {"com", "the mass centre, in body axes from the origin"},
                        {"about", "the point that `inertia` is about; else the mass centre"},
                        {"axes", "a rotation: `inertia` is given in axes that it turns into those of the body"},
                        {"coordinates", "quaternion, euler_parameters or natural"}};
  return out;
}

void add_motion(std::vector<MemberInfo>& out, unsigned space) {
  out.insert(out.end(), {{"pos", "position"}, {"vel", "velocity"}, {"acc", "acceleration"}});
  for (const auto& [prefix, what] :
       {std::pair<const char*, const char*>{"", "position"}, {"v", "velocity"}, {"a", "acceleration"}})
    for (unsigned k = 0; k < space && k < 3; ++k) {
      const std::string axis(1, "xyz"[k]);
      out.push_back({prefix + axis, what + (" along " + axis)});
    }
}

void add_turning(std::vector<MemberInfo>& out) {
  out.insert(out.end(), {{"rot", "rotation matrix, to the axes of space"},
                         {"omega", "angular velocity, in its own axes"},
                         {"omega_space", "angular velocity, in the axes of space"},
                         {"alpha", "angular acceleration, in its own axes"}});
}

void add_mass(std::vector<MemberInfo>& out) {
  out.insert(out.end(), {{"mass", "mass"}, {"energy", "kinetic energy"}, {"momentum", "linear momentum"}});
}

}  // namespace

const Vocabulary& vocabulary() {
  static const Vocabulary all = collect();
  return all;
}

std::vector<MemberInfo> members_of(const std::string& what, unsigned space) {
  std::vector<MemberInfo> out;
  const bool frame = what == "frame" || what == "ground";
  if (what == "particle" || what == "body" || what == "point" || frame) add_motion(out, space);
  if (what == "body" || frame) add_turning(out);
  if (what == "particle" || what == "body") add_mass(out);
  if (what == "body") {
    out.push_back({"com", "position of the mass centre"});
    if (space == 3) out.push_back({"quat", "Euler parameters of a free body"});
    if (space == 2) out.push_back({"angle", "angle of a free body"});
  }
  if (what == "body" || frame) out.push_back({"at", "a frame moved in it: at(x, y, z)"});
  if (what == "constraint" || what == "inequality")
    out = {{"residual", "left side less right side"},
           {"lambda", "multiplier"},
           {"reaction", "force of the constraint"},
           {"moment", "moment of the constraint on a body"},
           {"ideal", "force of the constraint without its `nonideal` loads"}};
  if (what == "inequality")
    out.insert(out.end(), {{"active", "1 while it presses, else 0"},
                           {"impulse", "of its last impact"},
                           {"count", "how often it was touched"},
                           {"time", "when it was touched last"}});
  if (what == "event") out = {{"count", "how often it took place"}, {"time", "when it took place last"}};
  if (what == "energy")
    out = {{"kinetic", "of all particles, bodies and `kinetic` terms"},
           {"potential", "of gravity and `potential` terms"},
           {"total", "kinetic and potential"}};
  if (what == "momentum") {
    out = {{"linear", "of all particles and bodies"}};
    if (space > 1) out.push_back({"angular", "about the origin"});
  }
  if (what == "vector")
    for (unsigned k = 0; k < space && k < 3; ++k) out.push_back({std::string(1, "xyz"[k]), "component"});
  return out;
}

}  // namespace mbc
