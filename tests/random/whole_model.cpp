// SPDX-License-Identifier: Apache-2.0
#include "tests/random/whole_model.h"

#include <array>
#include <cstdio>

namespace mbc::test {

WholeModel::WholeModel(std::uint64_t seed) : rng_(seed), seed_(seed) {
  parameters_ = "use joints\nuse forces\nparam t0 = 0.3\nlet now = t + t0\n";
  variables_.push_back({"t0", -2, 2});
  if (rng_.chance(0.7)) shared_ += "gravity " + vector(5) + "\n";
  free_bodies();
  free_particles();
  coordinates();
  prescribed_bodies();
  points();
  states();
  const std::uint32_t terms = 2 + rng_.below(4u);
  for (std::uint32_t k = 0; k < terms; ++k) term();
  if (rng_.chance(0.6))
    for (std::uint32_t k = 1 + rng_.below(2u); k > 0; --k) constraint();
  for (const std::string& q : coordinates_) {
    record("place", q);
    record("speed", q + "'");
    record("acceleration", q + "''");
  }
  for (const std::string& m : movers_) {
    record("place", m + ".pos");
    record("speed", m + ".vel");
    record("acceleration", m + ".acc");
  }
  for (const std::string& b : bodies_) record_body(b);
  for (const char* energy : {"energy.kinetic", "energy.potential"}) record("energy", energy);
  for (const char* momentum : {"momentum.linear", "momentum.angular"}) record("momentum", momentum);
}

std::string WholeModel::text(Version version) const {
  const bool plain = version == Version::plain || version == Version::probe;
  std::string text = "mbd 1\n" + parameters_ + (plain ? plain_ : represented_) + shared_;
  if (version == Version::probe)
    text += probes_;
  else
    text += constraints_ + outputs_;
  const std::string bodies = version == Version::euler_parameters ? "; bodies = euler_parameters"
                             : version == Version::natural        ? "; bodies = natural"
                                                                  : "";
  text += "simulate look { time = 0 .. 1e-6 step 1e-6; integrator = rk4" + bodies + " }\n";
  return text + "simulate move { time = 0 .. 1 step 0.125; integrator = dopri5(rtol = 1e-11, atol = 1e-11)" + bodies +
         " }\n";
}

std::vector<std::pair<std::string, double>> WholeModel::state(std::uint32_t k) const {
  Rng rng(seed_ * 1000 + k);
  std::vector<std::pair<std::string, double>> values;
  for (const Variable& v : variables_) values.emplace_back(v.name, rng.between(v.low, v.high));
  return values;
}

// ---- words

std::string WholeModel::number(double low, double high) {
  std::array<char, 32> text{};
  const double x = rng_.between(low, high);
  std::snprintf(text.data(), text.size(), x < 0 ? "(%.3f)" : "%.3f", x);
  return text.data();
}

std::string WholeModel::vector(double size) {
  const std::string x = number(-size, size), y = number(-size, size), z = number(-size, size);
  return "(" + x + ", " + y + ", " + z + ")";
}

std::string WholeModel::variable(const std::string& name, double low, double high) {
  parameters_ += "param " + name + " = " + number(low, high) + "\n";
  variables_.push_back({name, low, high});
  return name;
}

std::string WholeModel::next(const char* stem) { return stem + std::to_string(++count_); }

const std::string& WholeModel::one_of(const std::vector<std::string>& names) { return names[rng_.below(names.size())]; }

std::pair<std::string, std::string> WholeModel::two_movers() {
  const std::uint32_t first = rng_.below(movers_.size()), step = 1 + rng_.below(movers_.size() - 1);
  return {movers_[first], movers_[(first + step) % movers_.size()]};
}

std::string WholeModel::moving() {
  return coordinates_.empty() ? "(0.3*" + one_of(free_) + ".pos.x + 0.5*sin(now))" : one_of(coordinates_);
}

// ---- moving parts

namespace {

// Returns Rz Ry Rx of the angles q_a, q_b, q_c, and the angular velocity in the turned axes.
std::string turn(const std::string& q) { return "rotz(" + q + "a)*roty(" + q + "b)*rotx(" + q + "c)"; }
std::string turning(const std::string& q) {
  const std::string sb = "sin(" + q + "b)", cb = "cos(" + q + "b)", sc = "sin(" + q + "c)", cc = "cos(" + q + "c)";
  const std::string wa = q + "wa", wb = q + "wb", wc = q + "wc";
  return "(" + wc + " - " + wa + "*" + sb + ", " + wb + "*" + cc + " + " + wa + "*" + sc + "*" + cb + ", " + wa + "*" +
         cb + "*" + cc + " - " + wb + "*" + sc + ")";
}

}  // namespace

// Adds a coordinate of the plain version and the parameters of its start. Returns its name.
std::string WholeModel::plain_coordinate(const std::string& stem, const std::string& letter, double limit) {
  const std::string start = variable(stem + letter, -limit, limit), rate = variable(stem + "w" + letter, -1, 1);
  plain_ += "coord q" + stem + letter + " = " + start + " rate " + rate + "\n";
  return "q" + stem + letter;
}

// Adds three angles. The middle one stays away from a right angle.
void WholeModel::plain_angles(const std::string& stem) {
  for (const char* letter : {"a", "b", "c"}) plain_coordinate(stem, letter, *letter == 'b' ? 1 : 3);
}

std::string WholeModel::masses() {
  const std::string jx = number(0.8, 1.5), jy = number(0.8, 1.5), jz = number(0.8, 1.5);
  const std::string xy = number(-0.1, 0.1), xz = number(-0.1, 0.1), yz = number(-0.1, 0.1);
  std::string what = "(mass = " + number(0.5, 2) + ", inertia = ((" + jx + ", " + xy + ", " + xz + "), (" + xy + ", " +
                     jy + ", " + yz + "), (" + xz + ", " + yz + ", " + jz + "))";
  if (rng_.chance(0.4)) what += ", com = " + vector(0.3);
  return what + ")";
}

// Writes the start of body b as `let`s: rotation R, angular velocity w, place r and velocity v, which need the first
// two.
void WholeModel::represented_body(const std::string& b, const std::string& masses, const Start& start) {
  represented_ += "let R_" + b + " = " + start.rotation + "\nlet w_" + b + " = " + start.omega + "\nlet r_" + b +
                  " = " + start.place + "\nlet v_" + b + " = " + start.velocity + "\n";
  represented_ +=
      "body " + b + masses + " at r_" + b + " moving v_" + b + " rotated R_" + b + " spinning w_" + b + "\n";
  bodies_.push_back(b);
  free_.push_back(b);
  movers_.push_back(b);
}

void WholeModel::free_bodies() {
  const std::uint32_t count = rng_.chance(0.2) ? 3 : 1 + rng_.below(2u);
  for (std::uint32_t k = 0; k < count; ++k) {
    if (k > 0 && rng_.chance(0.5)) {
      hung_body();
      continue;
    }
    const std::string b = next("b"), what = masses();
    std::string place, velocity, place_now;
    for (const char* axis : {"x", "y", "z"}) {
      place_now += (place_now.empty() ? "(" : ", ") + plain_coordinate(b, axis, 2);
      place += (place.empty() ? "(" : ", ") + b + axis;
      velocity += (velocity.empty() ? "(" : ", ") + b + "w" + axis;
    }
    plain_angles(b);
    represented_body(b, what, {place + ")", velocity + ")", turn(b), turning(b)});
    plain_ += "body " + b + what + " follows frame(origin = " + place_now + "), rotation = " + turn("q" + b) + ")\n";
  }
}

// Adds a body on a joint of the library. In plain coordinates it follows the body that carries it by the coordinates
// that the joint leaves.
void WholeModel::hung_body() {
  const std::string a = one_of(free_), b = next("b"), what = masses();
  const std::string arm = vector(0.8), foot = vector(0.5), axis = "unit(" + vector(1) + ")";
  const char* const joints[] = {"Revolute", "Prismatic", "Cylindrical", "Spherical"};
  const std::string joint = joints[rng_.below(4u)];
  std::string turn_start = "diag(1, 1, 1)", turn_now = turn_start, rate = "(0, 0, 0)", slide, slide_now, slide_rate;
  if (joint == "Spherical") {
    plain_angles(b);
    turn_start = turn(b), turn_now = turn("q" + b), rate = turning(b);
  } else if (joint != "Prismatic") {
    turn_now = "rot(" + axis + ", " + plain_coordinate(b, "a", 3) + ")";
    turn_start = "rot(" + axis + ", " + b + "a)", rate = b + "wa*" + axis;
  }
  if (joint == "Prismatic" || joint == "Cylindrical") {
    slide_now = " + " + plain_coordinate(b, "x", 1) + "*" + axis;
    slide = " + " + b + "x*" + axis, slide_rate = " + " + b + "wx*(R_" + a + "*" + axis + ")";
  }
  Start start;
  start.rotation = "R_" + a + "*" + turn_start;
  start.omega = "transpose(" + turn_start + ")*w_" + a + " + " + rate;
  start.place = "r_" + a + " + R_" + a + "*(" + arm + slide + ") - R_" + b + "*" + foot;
  start.velocity = "v_" + a + " + R_" + a + "*cross(w_" + a + ", " + arm + slide + ")" + slide_rate + " - R_" + b +
                   "*cross(w_" + b + ", " + foot + ")";
  represented_body(b, what, start);
  represented_ += joint + " j" + b + "(" + a + ".at" + arm + ", " + b + ".at" + foot +
                  (joint == "Spherical" ? "" : ", axis = " + axis) + ")\n";
  plain_ += "let R_" + b + " = " + a + ".rot*" + turn_now + "\n";
  plain_ += "body " + b + what + " follows frame(origin = " + a + ".pos + " + a + ".rot*(" + arm + slide_now +
            ") - R_" + b + "*" + foot + ", rotation = R_" + b + ")\n";
}

void WholeModel::free_particles() {
  if (!rng_.chance(0.3)) return;
  const std::string p = next("p");
  std::string place, velocity;
  for (const char* axis : {"x", "y", "z"}) {
    place += (place.empty() ? "(" : ", ") + variable(p + axis, -2, 2);
    velocity += (velocity.empty() ? "(" : ", ") + variable(p + "v" + axis, -1, 1);
  }
  shared_ += "particle " + p + "(" + number(0.5, 2) + ") at " + place + ") moving " + velocity + ")\n";
  movers_.push_back(p);
}

// Every coordinate has inertia of its own.
void WholeModel::coordinates() {
  for (std::uint32_t k = rng_.below(3u); k > 0; --k) {
    const std::string q = next("s"), start = variable(q + "q", -1, 1), rate = variable(q + "v", -1, 1);
    shared_ += "coord " + q + " = " + start + " rate " + rate + "\n";
    shared_ += "kinetic: 0.5*" + number(0.3, 1) + "*" + q + "'^2\n";
    coordinates_.push_back(q);
  }
}

// Adds prescribed parts in space or on a free body, moved by a coordinate, or by a free body and by time.
void WholeModel::prescribed_bodies() {
  if (rng_.chance(0.4)) {
    const std::string p = next("p"), x = moving();
    const std::string origin = rng_.chance(0.5) ? vector(1) : one_of(free_) + ".pos";
    shared_ += "particle " + p + "(" + number(0.3, 1) + ") follows " + origin + " + (" + x + ", sin(" + x + "), " +
               number(-1, 1) + "*" + x + "^2)\n";
    movers_.push_back(p);
  }
  if (!rng_.chance(0.4)) return;
  const std::string f = next("f"), x = moving();
  const std::string turn = "rot(unit(" + vector(1) + "), " + x + ")";
  const std::string& carrier = one_of(free_);
  const bool carried = rng_.chance(0.5);
  const std::string arm = vector(1);
  shared_ += "body " + f + "(mass = " + number(0.3, 1) + ", inertia = diag(" + number(0.2, 0.3) + ", " +
             number(0.2, 0.3) + ", " + number(0.2, 0.3) + ")) follows frame(origin = ";
  shared_ += carried ? carrier + ".pos + " + carrier + ".rot*" + arm + ", rotation = " + carrier + ".rot*" + turn
                     : arm + " + (0, " + x + ", cos(" + x + ")), rotation = " + turn;
  shared_ += ")\n";
  bodies_.push_back(f);
  movers_.push_back(f);
}

void WholeModel::points() {
  for (std::uint32_t k = 2 + rng_.below(2u); k > 0; --k) {
    const std::string P = next("P");
    shared_ += "point " + P + " on " + one_of(bodies_) + " at " + vector(0.6) + "\n";
    movers_.push_back(P);
    points_.push_back(P);
  }
}

void WholeModel::states() {
  if (!rng_.chance(0.25)) return;
  const std::string s = next("z"), start = variable(s + "s", -1, 1);
  shared_ += "state " + s + " = " + start + " where " + s + "' = " + number(-1, 1) + "*" + place() + " - " + s + " + " +
             (rng_.chance(0.5) ? number(-0.5, 0.5) + "*" + rate() : number(-1, 1)) + "\n";
  states_.push_back(s);
}

// ---- expressions

std::string WholeModel::direction() {
  return rng_.chance(0.5) ? "(" + one_of(bodies_) + ".rot*" + vector(1) + ")" : vector(1);
}

std::string WholeModel::place(bool moves) {
  switch (rng_.below(moves ? 4u : 6u)) {
    case 0:
      return "dot(" + one_of(movers_) + ".pos, " + vector(1) + ")";
    case 1:
      return "sin(dot(" + one_of(movers_) + ".pos, " + direction() + "))";
    case 2:
      return coordinates_.empty() ? "dot(" + one_of(free_) + ".rot*ex, " + vector(1) + ")"
                                  : "sin(" + one_of(coordinates_) + ")";
    case 3:
      return "dot(" + one_of(free_) + ".rot*ey, " + one_of(movers_) + ".pos)";
    case 4:
      return "dot(" + one_of(bodies_) + ".rot*" + vector(1) + ", " + direction() + ")";
    default: {
      const auto [a, b] = two_movers();
      return "sqrt(1 + 0.1*dot(" + a + ".pos - " + b + ".pos, " + a + ".pos - " + b + ".pos))";
    }
  }
}

std::string WholeModel::rate() {
  switch (rng_.below(7u)) {
    case 0:
      return one_of(bodies_) + ".omega." + (rng_.chance(0.5) ? "z" : "x");
    case 1:
      return "dot(" + one_of(bodies_) + ".omega, " + vector(1) + ")";
    case 2:
      return "dot(" + one_of(bodies_) + ".rot*" + one_of(bodies_) + ".omega, " + vector(1) + ")";
    case 3:
      return "dot(" + one_of(movers_) + ".vel, " + direction() + ")";
    case 4: {
      const auto [a, b] = two_movers();
      return "dot(" + a + ".vel - " + b + ".vel, " + one_of(bodies_) + ".rot*" + vector(1) + ")";
    }
    case 5:
      return "(" + one_of(bodies_) + ".omega.y + " +
             (coordinates_.empty() ? one_of(movers_) + ".vel.x" : one_of(coordinates_) + "'") + ")";
    default:
      return coordinates_.empty() ? "dot(" + one_of(free_) + ".rot*" + one_of(free_) + ".omega, " + direction() + ")"
                                  : one_of(coordinates_) + "'";
  }
}

std::string WholeModel::factor() {
  switch (rng_.below(4u)) {
    case 0:
      return "(1 + 0.3*sin(" + place() + "))";
    case 1:
      return "(1 + 0.3*cos(now))";
    case 2:
      return states_.empty() ? "1" : "(1 + 0.2*sin(" + one_of(states_) + "))";
    default:
      return "1";
  }
}

// ---- terms

void WholeModel::term() {
  switch (rng_.below(9u)) {
    case 0:
    case 1:
    case 2:
      return kinetic();
    case 3:
      return potential();
    case 4:
      return dissipation();
    case 5:
      return force();
    case 6:
      return torque();
    case 7:
      return spring();
    default:
      return load();
  }
}

// The second derivatives by the velocities are never negative, so that M stays positive.
void WholeModel::kinetic() {
  const std::string v = rate(), m = number(0.2, 1);
  std::string T;
  switch (rng_.below(6u)) {
    case 0:
    case 1:
      T = "0.5*" + m + "*" + factor() + "*(" + v + ")^2";
      break;
    case 2:
      T = "0.5*" + m + "*(" + v + " + " + rate() + ")^2 + 0.1*" + place() + "*" + rate();
      break;
    case 3:  // This term is gyroscopic.
      T = m + "*" + place() + "*" + v + " + 0.1*sin(now)*" + rate();
      break;
    case 4:  // This term is not quadratic.
      T = m + "*" + factor() + "*sqrt(1 + (" + v + ")^2)";
      break;
    default:
      T = m + "*(0.5*(" + v + ")^2 + 0.02*(" + v + " + 0.3*sin(" + place() + "))^4)";
  }
  shared_ += "kinetic: " + T + "\n";
}

void WholeModel::potential() {
  const std::string x = place();
  shared_ += rng_.chance(0.5) ? "potential: 0.5*" + number(0.5, 4) + "*(" + x + " - 0.2*sin(now))^2\n"
                              : "potential: " + number(-2, 2) + "*" + factor() + "*" + x + "\n";
}

void WholeModel::dissipation() {
  const std::string v = rate(), c = number(0.1, 1);
  shared_ += "dissipation: " + c +
             (rng_.chance(0.5) ? "*" + factor() + "*(" + v + ")^2\n" : "*(sqrt(1 + (" + v + ")^2) - 1)\n");
}

void WholeModel::force() {
  const std::string on = one_of(movers_), from = one_of(movers_);
  shared_ += "force on " + on + (on == from ? "" : " from " + from) + ": " + number(-2, 2) + "*" + direction() + " - " +
             number(0, 0.5) + "*" + factor() + "*" + on + ".vel\n";
}

void WholeModel::torque() {
  const std::string on = one_of(bodies_), from = one_of(bodies_);
  shared_ += "torque on " + on + (on == from ? "" : " from " + from) + ": " + number(-1, 1) + "*" + place() + "*" +
             direction() + " - 0.1*" + on + ".rot*" + on + ".omega\n";
}

// Adds a spring of the library.
void WholeModel::spring() {
  const std::string name = next("spring"), &a = points_[0], &b = points_[1 + rng_.below(points_.size() - 1)];
  switch (rng_.below(4u)) {
    case 0:
      shared_ += "Spring " + name + "(" + a + ", " + b + ", stiffness = " + number(0.5, 4) + ", length = 0.5)\n";
      return;
    case 1:
      shared_ += "SpringDamper " + name + "(" + a + ", " + b + ", stiffness = " + number(0.5, 4) +
                 ", damping = " + number(0.1, 1) + ", length = 0.5)\n";
      return;
    case 2:
      shared_ += "LinearDrag " + name + "(" + b + ", drag = " + number(0.1, 1) + ")\n";
      return;
    default:
      shared_ += "TorsionalDamper " + name + "(ground, " + one_of(bodies_) + ", damping = " + number(0.1, 1) + ")\n";
  }
}

void WholeModel::load() {
  if (coordinates_.empty()) return force();
  shared_ += "load on " + one_of(coordinates_) + ": " + number(-1, 1) + "*" + place() + " - 0.2*" + rate() + "\n";
}

// ---- constraints

// Adds NAME: e == its value at the state, plus its rate there times t at position level.
void WholeModel::hold(const std::string& name, const std::string& e, bool rate) {
  const std::string value = name + "c", slope = name + "r";
  parameters_ += "param " + value + " = 0\n";
  probes_ += "output v_" + value + " = " + e + "\n";
  held_.emplace_back(value, "v_" + value);
  std::string right = value;
  if (rate) {
    parameters_ += "param " + slope + " = 0\n";
    probes_ += "output v_" + slope + " = (" + e + ")'\n";
    held_.emplace_back(slope, "v_" + slope);
    right += " + " + slope + "*t";
  }
  constraints_ += "constraint " + name + ": " + e + " == " + right + "\n";
  record("multiplier", name + ".lambda");
}

void WholeModel::constraint() {
  const std::string name = next("k");
  const std::string& mover = one_of(movers_);
  const std::string& other = one_of(movers_);
  switch (rng_.below(5u)) {
    case 0:
      return hold(name, place(true), true);
    case 1:
      return hold(name, "dot(" + free_[0] + ".pos + " + free_[0] + ".rot*" + vector(0.5) + ", " + vector(1) + ")",
                  true);
    case 2:
      return hold(name, rate(), false);
    case 3:
      return hold(name, rate() + " + 0.2*(" + rate() + ")^2", false);
    default:
      constraints_ += "constraint " + name + ": dot(" + mover + ".acc, " + direction() + ") + 0.1*dot(" + other +
                      ".vel, " + other + ".vel) == " + number(-1, 1) + "\n";
      record("multiplier", name + ".lambda");
  }
}

// ---- compared values

// The name tells the kind of the number, which decides its scale.
void WholeModel::record(const std::string& kind, const std::string& value) {
  outputs_ += "output " + next((kind + "_").c_str()) + " = " + value + "\n";
}

void WholeModel::record_body(const std::string& b) {
  record("place", b + ".rot*ex");
  record("place", b + ".rot*ey");
  record("speed", b + ".omega");
  record("acceleration", b + ".alpha");
}

}  // namespace mbc::test
