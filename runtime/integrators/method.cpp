// SPDX-License-Identifier: Apache-2.0
#include "runtime/integrators/method.h"

#include "base/check.h"

namespace mbc::runtime {

namespace {

template <class M, class Any>
void begin(Any& any, std::size_t n, int order) {
  if constexpr (std::is_constructible_v<M, std::size_t, int>)
    any.template emplace<M>(n, order);
  else if constexpr (std::is_constructible_v<M, std::size_t>)
    any.template emplace<M>(n);
}

}  // namespace

void unfit_method() {
  CHECK(false, "the method of the run can be asked for this");
  throw InternalError("");  // not reached
}

Method::Method(Integrator integrator, std::size_t n) : any_(std::in_place_type<Rk4>, n) {
  switch (integrator) {
#define MBC_INTEGRATOR(name, word, method, single, order, steps, calls) \
  case Integrator::name:                                                \
    begin<method>(any_, n, order);                                      \
    break;
#include "mbc/settings.def"
  }
}

void Method::forget_history() {
  std::visit(
      [](auto& method) {
        if constexpr (requires { method.forget(); }) method.forget();
      },
      any_);
}

bool Method::used_history() const {
  return std::visit(
      [](const auto& method) {
        if constexpr (requires { method.used_history(); })
          return method.used_history();
        else
          return false;
      },
      any_);
}

void Method::transfer(Archive& archive) {
  std::visit(
      [&](auto& method) {
        if constexpr (requires { method.transfer(archive); }) method.transfer(archive);
      },
      any_);
}

const std::vector<double>* Method::rate_at_end() const {
  return std::visit(
      [](const auto& method) -> const std::vector<double>* {
        if constexpr (requires { method.last_stage(); })
          return &method.last_stage();
        else
          return nullptr;
      },
      any_);
}

}  // namespace mbc::runtime
