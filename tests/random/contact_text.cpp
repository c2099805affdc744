// SPDX-License-Identifier: Apache-2.0
#include "tests/random/contact_text.h"

#include <cmath>

namespace mbc::test {

std::string ContactText::text() {
  out_ = "mbd 1\nspace 2\ngravity (0, -10)\nparam k = 1\n";
  bounce_ = one_in(3) ? "" : value(0, 0.9);
  const int parts = 1 + whole(3);
  for (int i = 1; i <= parts; ++i) part(i);
  std::string gaps;
  for (const std::string& name : rows_)
    gaps += (gaps.empty() ? "" : ", ") + ("gap_" + name + " = " + name + ".residual");
  out_ += "output E = energy.total, " + gaps + "\n";
  const char* methods[] = {"auto", "rk4", "dopri5(rtol = 1e-8, atol = 1e-9)"};
  out_ += std::string("simulate { time = 0 .. 1.5 step 0.01; integrator = ") + methods[whole(3)] + " }\n";
  return out_;
}

// The previous part is below this one.
void ContactText::part(int i) {
  const std::string n = std::to_string(i), height = number(0.3 + i * 0.9);
  if (one_in(3)) {  // This is a ball, which may lie on the previous ball.
    out_ += "particle p" + n + "(" + value(0.5, 3) + ") at (" + value(-0.3, 0.3) + ", " + height + ") moving (k*" +
            value(-1, 1) + ", " + value(-2, 1) + ")\n";
    const std::string at = "p" + n;
    row("floor" + n, at + ".y - 0.2");
    if (one_in(2)) row("wall" + n, "1 - " + at + ".x");
    if (!ball_.empty()) row("pair" + n, "dist(" + ball_ + ", " + at + ") - 0.4");
    ball_ = at;
    rope(at);
    return;
  }
  const std::string b = "b" + n;
  out_ += "body " + b + "(mass = " + value(0.5, 3) + ", inertia = " + value(0.05, 0.3) + ") at (" + value(-0.3, 0.3) +
          ", " + height + ") moving (k*" + value(-1, 1) + ", " + value(-2, 1) + ") rotated rot(" + value(-1, 1) +
          ") spinning " + value(-3, 3) + "\n";
  const int corners = 2 + whole(3);
  for (int k = 0; k < corners; ++k) {
    const double angle = 6.283185307179586 * k / corners;
    const std::string c = "c" + n + "_" + std::to_string(k);
    out_ += "point " + c + " on " + b + " at (" + number(0.3 * std::cos(angle)) + ", " + number(0.2 * std::sin(angle)) +
            ")\n";
    row("foot" + n + "_" + std::to_string(k), c + ".y");
    if (one_in(4)) row("side" + n + "_" + std::to_string(k), c + ".x + 1.5");
  }
  rope("c" + n + "_0");
}

void ContactText::rope(const std::string& at) {
  if (one_in(3)) row("rope_" + at, "4.5 - norm(" + at + ".pos - (0.1, 0.2))");
}

void ContactText::row(const std::string& name, const std::string& expression) {
  out_ +=
      "constraint " + name + ": " + expression + " >= 0" + (bounce_.empty() ? "" : " restitution " + bounce_) + "\n";
  rows_.push_back(name);
}

}  // namespace mbc::test
