// SPDX-License-Identifier: Apache-2.0
#include "tests/random/friction_text.h"

namespace mbc::test {

std::string FrictionText::text() {
  space_ = one_in(3) ? 3 : 2;
  out_ = "mbd 1\nspace " + std::to_string(space_) + "\ngravity " + (space_ == 3 ? "(0, 0, -10)" : "(0, -10)") +
         "\nparam k = 1\n";
  const int parts = 1 + whole(3);
  for (int i = 1; i <= parts; ++i) space_ == 2 && one_in(3) ? bar(i) : block(i);
  std::string shown;
  for (const std::string& f : frictions_)
    shown += ", over_" + f + " = norm_" + f + " - " + f + ".limit, power_" + f + " = " + power(f);
  for (const std::string& f : frictions_)
    out_ += "let norm_" + f + " = " + (space_ == 3 ? "norm(" + f + ".lambda)" : "abs(" + f + ".lambda)") + "\n";
  out_ += "output E = energy.total" + shown + "\n";
  out_ += "simulate { time = 0 .. 2 step 0.02; integrator = dopri5(rtol = 1e-10, atol = 1e-11) }\n";
  return out_;
}

std::string FrictionText::power(const std::string& f) const {
  return space_ == 3 ? "dot(" + f + ".lambda, " + f + ".slip)" : f + ".lambda*" + f + ".slip";
}

void FrictionText::block(int i) {
  const std::string n = std::to_string(i), p = "p" + n, up = space_ == 3 ? "z" : "y";
  const std::string x = number(0.7 * i), v = value(-2, 2);
  out_ += "particle " + p + "(" + value(0.5, 3) + ") at (" + x + (space_ == 3 ? ", 0, 0" : ", 0") + ") moving (k*" + v +
          (space_ == 3 ? ", " + value(-2, 2) + ", 0" : ", 0") + ")\n";
  const bool pushes = one_in(2);
  out_ += "constraint deck" + n + ": " + p + "." + up + (pushes ? " >= 0\n" : " == 0\n");
  const std::string mu = value(0.05, 0.6);
  const std::string normal = pushes ? "deck" + n + ".lambda" : "abs(deck" + n + ".lambda)";
  const std::string slip = space_ == 3 ? "(" + p + ".vx, " + p + ".vy)" : p + ".vx";
  out_ += "friction f" + n + " on " + slip + ": " + mu + "*" + normal;
  if (one_in(2)) out_ += " static " + number(1.0 + 0.25 * whole(4)) + "*" + mu + "*" + normal;
  out_ += "\n";
  const std::string to = last_.empty() ? "ground" : last_;
  const std::string ends = last_.empty() ? p + ".pos" : "(" + p + ".pos - " + last_ + ".pos)";
  out_ += "force s" + n + " on " + p + " from " + to + ": -" + value(5, 60) + "*" + ends + "\n";
  potential(n, ends);
  frictions_.push_back("f" + n);
  for (const char* of : {".x", ".y", ".vx", ".vy"}) motion_.push_back(p + of);
  if (space_ == 3) motion_.insert(motion_.end(), {p + ".z", p + ".vz"});
  last_ = p;
}

// Replaces the last spring by its potential energy.
void FrictionText::potential(const std::string& n, const std::string& ends) {
  const std::size_t at = out_.rfind(": -") + 3;
  const std::string k = out_.substr(at, out_.find('*', at) - at);
  const std::size_t line = out_.rfind("force s");
  out_.erase(line);
  out_ += "potential V" + n + ": 0.5*" + k + "*dot(" + ends + ", " + ends + ")\n";
}

void FrictionText::bar(int i) {
  const std::string n = std::to_string(i), b = "b" + n, x = number(3.0 * i), l = value(0.3, 0.8), a = value(-1.4, 1.4);
  out_ += "param l" + n + " = " + l + ", a" + n + " = " + a + "\n";
  out_ += "body " + b + "(mass = 2, inertia = 0.7*l" + n + "^2) at (" + x + " + l" + n + "*cos(a" + n + "), l" + n +
          "*sin(a" + n + ")) rotated rot(a" + n + ")\n";
  out_ += "constraint pin" + n + ": " + b + ".at(-l" + n + ", 0).pos == (" + x + ", 0)\n";
  out_ += "friction f" + n + " on " + b + ".omega: " + value(0.01, 0.1) + "*norm(pin" + n + ".lambda)\n";
  frictions_.push_back("f" + n);
  for (const char* of : {".x", ".y", ".angle", ".vx", ".vy", ".omega"}) motion_.push_back(b + of);
}

}  // namespace mbc::test
