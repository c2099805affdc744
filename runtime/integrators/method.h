// SPDX-License-Identifier: Apache-2.0
// The integration method of a run, one of the classes of this folder as one type. A method is given a right-hand side,
// a state and its rate. Each class has
//
//   failed_time(), failed_state()   the point where the right-hand side was undefined
//   y_new()                         the state at the end of the last step
//   forget(), used_history()        if it remembers rates: they belong to another motion; the last step used them
//   transfer(archive)               if its next step depends on more than the state
//
// and the functions of the concepts below. settings.def lists the methods with their orders. Everything belongs to one
// thread.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/settings.h"
#include "runtime/integrators/ab4.h"
#include "runtime/integrators/bdf.h"
#include "runtime/integrators/dop853.h"
#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/gauss.h"
#include "runtime/integrators/rk4.h"
#include "runtime/integrators/step_point.h"
#include "runtime/integrators/taylor.h"

namespace mbc::runtime {

using RightHandSide = std::int32_t (*)(double t, const double* y, double* dy);  // 0, or the failed entry + 1

// The method makes a step of any size h from y with the rate there. step() returns 0, or the failed entry + 1.
template <class M>
concept MakesSteps = requires(M& m, RightHandSide rhs, double t, const std::vector<double>& y) {
  { m.step(rhs, t, t, y, y) } -> std::same_as<std::int32_t>;
};
// The method interpolates inside the last step, after extend().
template <class M>
concept DenseOutput = requires(M& m, RightHandSide rhs, double t, const std::vector<double>& y,
                               std::vector<double>& out) {
  { m.extend(rhs, t, y) } -> std::same_as<std::int32_t>;
  m.interpolate(StepPoint{}, y, out);
};
// The method estimates its error by estimate() after step().
template <class M>
concept EstimatesErrors = MakesSteps<M> && DenseOutput<M> && requires(M& m, RightHandSide rhs, double t) {
  { m.estimate(rhs, t) } -> std::same_as<std::int32_t>;
};

[[noreturn]] void unfit_method();  // an internal error

class Method {
 public:
  // Arrays have n entries. Taylor and Bdf need more than a right-hand side; the run installs them with use().
  Method(Integrator integrator, std::size_t n);

  template <class M, class... Arguments>
  M& use(Arguments&&... arguments) {
    return any_.emplace<M>(std::forward<Arguments>(arguments)...);
  }
  template <class M>
  [[nodiscard]] M* get() {
    return std::get_if<M>(&any_);
  }
  template <class M>
  [[nodiscard]] const M* get() const {
    return std::get_if<M>(&any_);
  }
  // Calls f(method). f accepts the methods that have the functions it uses, and the run ensures that this is one of
  // them.
  template <class R, class F>
  R with(F&& f) {
    return std::visit(
        [&](auto& method) -> R {
          if constexpr (std::is_invocable_v<F&, decltype(method)>)
            return f(method);
          else
            unfit_method();
        },
        any_);
  }

  // Makes a step from y to its end, which replaces y.
  template <class Rhs>
  std::int32_t step(Rhs&& rhs, double t, double h, std::vector<double>& y, const std::vector<double>& rate) {
    return with<std::int32_t>([&](MakesSteps auto& method) {
      const std::int32_t failed = method.step(rhs, t, h, y, rate);
      if (failed == 0) y = method.y_new();
      return failed;
    });
  }
  // A method that remembers rates forgets them.
  void forget_history();
  // Returns whether the last step used rates of earlier states, which may belong to another motion.
  [[nodiscard]] bool used_history() const;
  void transfer(Archive& archive);
  // Returns the rate at the end of the last step if that is its last stage, else null.
  [[nodiscard]] const std::vector<double>* rate_at_end() const;

 private:
  std::variant<Rk4, Ab4, Dopri5, Dop853, Taylor, Gauss, Bdf> any_;
};

}  // namespace mbc::runtime
