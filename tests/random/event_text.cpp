// SPDX-License-Identifier: Apache-2.0
#include "tests/random/event_text.h"

namespace mbc::test {

std::string EventText::text() {
  out_ = "mbd 1\nspace 2\nparam k = 1\ngravity (0, -1)\n";
  n_ = 2 + whole(3);
  // This load is so stiff that `auto` switches to the method for stiff problems, which it does only if all events are
  // discontinuities.
  stiff_ = one_in(8);
  for (int i = 1; i <= n_; ++i) {
    const std::string p = name(i);
    out_ += "particle " + p + "(" + value(0.5, 2) + ") at (" + std::to_string(i) + ", " + value(-0.5, 0.5) +
            ") moving (" + value(-1, 1) + ", " + value(-1, 1) + ")\n";
    out_ += "force spring" + std::to_string(i) + " on " + p + ": -k*" + value(2, 9) + "*(" + p + ".pos - (" +
            std::to_string(i) + ", 0))\n";
  }
  for (int i = 0; i < 2; ++i) event(i);
  for (int i = 2; i < 5; ++i)
    if (one_in(2)) event(i);
  std::string signals;
  for (int i = 5; i < 7; ++i)
    if (one_in(2)) table(i, signals);
  if (stiff_) out_ += "force damper on p1: (0, -4000*(p1.vy - 0.3*sin(t)))\n";
  const char* methods[] = {"rk4",  "ab4; kinks = locate", "dopri5(rtol = 1e-7, atol = 1e-9)", "dopri5(fixed)",
                           "auto", "rk4; kinks = locate"};
  const int method = stiff_ ? 4 : whole(6);
  out_ += "simulate { time = 0 .. " + number(kEventStep * kEventSteps) + " step " + number(kEventStep) +
          "; integrator = " + methods[method] + signals + " }\n";
  return out_;
}

void EventText::event(int i) {
  constexpr int kBend = 7;
  const std::string s = std::to_string(i), p = name(1 + whole(n_)), q = name(1 + whole(n_));
  switch (stiff_ ? kBend : whole(11)) {
    case 0:  // This is a relay.
      out_ += "state u" + s + " = " + value(0.5, 1) + "\nforce push" + s + " on " + p + ": (u" + s + ", 0)\n";
      out_ +=
          "when up" + s + ": " + p + ".y - " + value(0.02, 0.2) + " rising { u" + s + " = -" + value(0.2, 1) + " }\n";
      return void(out_ += "when down" + s + ": " + p + ".y + " + value(0.02, 0.2) + " falling { u" + s + " = 1 }\n");
    case 1:  // This is a sampled controller.
      out_ += "state v" + s + " = 0, w" + s + " = 0\nforce servo" + s + " on " + p + ": (0, w" + s + ")\n";
      return void(out_ += "every tick" + s + ": " + value(0.03, 0.2) + " from " + value(0, 0.1) + " { v" + s +
                          " = -3*" + p + ".y; w" + s + " = v" + s + " }\n");
    case 2:  // This is a machine that switches a load.
      out_ += "state m" + s + " in (off, on) = on\nforce drive" + s + " on " + p + ": (" + value(-2, 2) + ", 0.3)\n";
      out_ += "when stop" + s + ": m" + s + " == m" + s + ".on and " + p + ".vx > 0.1 { m" + s + " = m" + s +
              ".off; disable drive" + s + " }\n";
      return void(out_ += "when go" + s + ": m" + s + " == m" + s + ".off and " + p + ".vx < -0.1 { m" + s + " = m" +
                          s + ".on; enable drive" + s + " }\n");
    case 3:
      return void(out_ += "every kick" + s + ": " + value(0.3, 0.9) + " from 0.1 { impulse on " + p + ": (" +
                          value(-1, 1) + ", " + value(-1, 1) + ") }\n");
    case 4:
      return void(out_ += "when turn" + s + ": " + p + ".y falling { " + p + ".vy = -0.9*" + p + ".vy }\n");
    case kBend:
    case 10: {  // This is a load that jumps or changes its slope.
      const std::string x = p + "." + (one_in(2) ? "x" : "y") + " - " + value(-0.3, 0.3);
      const std::string loads[] = {"sign(" + x + ")",      "abs(" + x + ")",
                                   "max(" + x + ", 0)",    "min(" + x + ", 0.1)",
                                   "floor(5*(" + x + "))", "(if " + x + " < 0 then 1 else -0.4)"};
      return void(out_ += "force bent" + s + " on " + p + ": (0, -" + value(0.2, 1.5) + "*" + loads[whole(6)] + ")\n");
    }
    case 8:  // This is a condition that a row then keeps at its limit.
      if (rows_++ > 0) return;
      out_ += "state s" + s + " in (free, held) = free\nconstraint line" + s + ": " + p +
              ".y == 0\ninit { disable line" + s + " }\n";
      out_ += "when catch" + s + ": " + p + ".y <= 0 and s" + s + " == s" + s + ".free { s" + s + " = s" + s +
              ".held; enable line" + s + " }\n";
      return void(out_ += "every free" + s + ": 0.7 from 0.6 { s" + s + " = s" + s + ".free; disable line" + s +
                          "; impulse on " + p + ": (0, " + value(0.2, 0.8) + ") }\n");
    case 9:  // This is a counter and its effect.
      out_ += "state c" + s + " = 0, d" + s + " = 0.2\nforce kept" + s + " on " + p + ": (d" + s + ", 0)\n";
      out_ += "when passes" + s + ": " + p + ".x - 1 crossing { c" + s + " = c" + s + " + 1 }\n";
      return void(out_ += "when third" + s + ": c" + s + " == 3 { d" + s + " = -d" + s + "; c" + s + " = 0 }\n");
    case 5:  // This is a velocity row that is active for a while.
      if (rows_++ > 0) return;
      out_ += "constraint tied" + s + ": " + p + ".vx - " + q + ".vy == 0\ninit { disable tied" + s + " }\n";
      out_ += "at tie" + s + ": " + value(0.4, 0.8) + " { enable tied" + s + " }\n";
      return void(out_ += "at loose" + s + ": " + value(1.2, 2) + " { disable tied" + s + " }\n");
    default:
      return void(out_ +=
                  "at jump" + s + ": " + value(0.2, 2) + " { " + p + ".x = " + p + ".x + " + value(-0.1, 0.1) + " }\n");
  }
}

// Adds a force given by points, as a function of the place or of the time: an input signal with steps or straight
// lines, or a table.
void EventText::table(int i, std::string& signals) {
  const std::string s = std::to_string(i), p = name(1 + whole(n_));
  if (stiff_ || one_in(2)) {
    out_ += "force bent" + s + " on " + p + ": (0, table(" + p + ".y, (-1, -0.2, 0.1, 1), (" + value(0, 2) + ", 0.1, " +
            value(-0.2, 0.1) + ", -1), method = cubic, beyond = line))\n";
    return;
  }
  out_ += "input i" + s + " = 0\nforce hand" + s + " on " + p + ": (i" + s + ", 0)\n";
  signals += "; input.i" + s + " = table(t, (0, " + value(0.2, 0.9) + ", 1.3, " + value(1.7, 2.2) + "), (" +
             value(-1, 1) + ", " + value(-1, 1) + ", 0, " + value(-1, 1) + "), beyond = hold" +
             (one_in(2) ? ", method = linear" : "") + ")";
}

}  // namespace mbc::test
