// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/fmu/exchange.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <utility>

namespace mbc::test {
namespace {

void take3(void* environment, int status, const char* category, const char* message) {
  static_cast<Exchange*>(environment)->log += std::to_string(status) + " " + category + ": " + message + "\n";
}
void take2(void* environment, const char* /*name*/, int status, const char* category, const char* format, ...) {
  char text[2000];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  take3(environment, status, category, text);
}

struct Callbacks2 {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void *allocate, *release, *finished, *environment;
};
struct EventInfo2 {
  int again, terminate, nominals, moved, defined;
  double next;
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

template <class Function, class... Arguments>
int Exchange::ask(const char* name3, const char* name2, Arguments... arguments) {
  return fmu_.function<Function>(version_ == 3 ? name3 : name2)(instance_, arguments...);
}

Exchange::Exchange(const Fmu& fmu, int version) : fmu_(fmu), version_(version) {
  states_ = count_of(fmu.description(), " derivative=\"");
  indicators_ = count_of(fmu.description(), "<EventIndicator ");
  if (version == 3) {
    using Make =
        void*(const char*, const char*, const char*, bool, bool, void*, void (*)(void*, int, const char*, const char*));
    instance_ = fmu.function<Make>("fmi3InstantiateModelExchange")("one", fmu.token().c_str(), fmu.resources().c_str(),
                                                                   false, true, this, &take3);
    return;
  }
  using Make = void*(const char*, int, const char*, const char*, const void*, int, int);
  const Callbacks2 host{&take2, nullptr, nullptr, nullptr, this};
  instance_ = fmu.function<Make>("fmi2Instantiate")("one", 0, fmu.token().c_str(),
                                                    ("file://" + fmu.resources()).c_str(), &host, 0, 1);
  const std::string mark = "numberOfEventIndicators=\"";
  indicators_ = std::stoul(fmu.description().substr(fmu.description().find(mark) + mark.size()));
}

Exchange::~Exchange() {
  fmu_.function<void(void*)>(version_ == 3 ? "fmi3FreeInstance" : "fmi2FreeInstance")(instance_);
}

// ---- the calls

int Exchange::enter(double start, double tolerance) {
  if (version_ == 3)
    return fmu_.function<int(void*, bool, double, double, bool, double)>("fmi3EnterInitializationMode")(
        instance_, tolerance > 0, tolerance, start, false, 0);
  const int given = fmu_.function<int(void*, int, double, double, int, double)>("fmi2SetupExperiment")(
      instance_, tolerance > 0 ? 1 : 0, tolerance, start, 0, 0);
  return given != 0 ? given : fmu_.function<int(void*)>("fmi2EnterInitializationMode")(instance_);
}
int Exchange::exit() { return ask<int(void*)>("fmi3ExitInitializationMode", "fmi2ExitInitializationMode"); }
int Exchange::event_mode() { return ask<int(void*)>("fmi3EnterEventMode", "fmi2EnterEventMode"); }
int Exchange::continuous_time() {
  return ask<int(void*)>("fmi3EnterContinuousTimeMode", "fmi2EnterContinuousTimeMode");
}
int Exchange::call(const char* name) {
  return fmu_.function<int(void*)>(((version_ == 3 ? "fmi3" : "fmi2") + std::string(name)).c_str())(instance_);
}

int Exchange::update(Update& made) {
  if (version_ == 2) {
    EventInfo2 info{};
    const int status = fmu_.function<int(void*, EventInfo2*)>("fmi2NewDiscreteStates")(instance_, &info);
    made = {info.terminate != 0, info.moved != 0, info.defined != 0, info.next};
    CHECK(info.again == 0);
    return status;
  }
  bool again = true, nominals = true;
  made = {};
  const int status = fmu_.function<int(void*, bool*, bool*, bool*, bool*, bool*, double*)>("fmi3UpdateDiscreteStates")(
      instance_, &again, &made.terminate, &nominals, &made.moved, &made.defined, &made.next);
  if (status == 0) CHECK_FALSE((again || nominals));
  return status;
}

int Exchange::set_time(double t) { return ask<int(void*, double)>("fmi3SetTime", "fmi2SetTime", t); }
int Exchange::set_states(const std::vector<double>& y) {
  return ask<int(void*, const double*, std::size_t)>("fmi3SetContinuousStates", "fmi2SetContinuousStates", y.data(),
                                                     y.size());
}
int Exchange::states(std::vector<double>& y) {
  y.resize(states_);
  return ask<int(void*, double*, std::size_t)>("fmi3GetContinuousStates", "fmi2GetContinuousStates", y.data(),
                                               y.size());
}
int Exchange::rates(std::vector<double>& dy) {
  dy.resize(states_);
  return ask<int(void*, double*, std::size_t)>("fmi3GetContinuousStateDerivatives", "fmi2GetDerivatives", dy.data(),
                                               dy.size());
}
int Exchange::indicators(std::vector<double>& z) {
  z.resize(indicators_);
  return ask<int(void*, double*, std::size_t)>("fmi3GetEventIndicators", "fmi2GetEventIndicators", z.data(), z.size());
}
int Exchange::nominals(std::vector<double>& y) {
  y.resize(states_);
  return ask<int(void*, double*, std::size_t)>("fmi3GetNominalsOfContinuousStates", "fmi2GetNominalsOfContinuousStates",
                                               y.data(), y.size());
}

int Exchange::completed(bool& event) {
  if (version_ == 3) {
    bool terminate = true;
    return fmu_.function<int(void*, bool, bool*, bool*)>("fmi3CompletedIntegratorStep")(instance_, true, &event,
                                                                                        &terminate);
  }
  int wanted = 0, terminate = 1;
  const int status =
      fmu_.function<int(void*, int, int*, int*)>("fmi2CompletedIntegratorStep")(instance_, 1, &wanted, &terminate);
  event = wanted != 0;
  return status;
}

int Exchange::get(const std::vector<std::uint32_t>& references, std::vector<double>& values) {
  values.assign(references.size(), 0);
  if (version_ == 3)
    return fmu_.function<int(void*, const std::uint32_t*, std::size_t, double*, std::size_t)>("fmi3GetFloat64")(
        instance_, references.data(), references.size(), values.data(), values.size());
  return fmu_.function<int(void*, const std::uint32_t*, std::size_t, double*)>("fmi2GetReal")(
      instance_, references.data(), references.size(), values.data());
}
double Exchange::value(const std::string& name) {
  std::vector<double> values;
  CHECK_MESSAGE(get({fmu_.reference(name)}, values) == 0, log);
  return values[0];
}
int Exchange::set(const std::string& name, double value) {
  const std::uint32_t reference = fmu_.reference(name);
  if (version_ == 3)
    return fmu_.function<int(void*, const std::uint32_t*, std::size_t, const double*, std::size_t)>("fmi3SetFloat64")(
        instance_, &reference, 1, &value, 1);
  return fmu_.function<int(void*, const std::uint32_t*, std::size_t, const double*)>("fmi2SetReal")(
      instance_, &reference, 1, &value);
}

std::string Exchange::saved() {
  void* state = nullptr;
  std::size_t size = 0;
  CHECK(ask<int(void*, void**)>("fmi3GetFMUState", "fmi2GetFMUstate", &state) == 0);
  CHECK(ask<int(void*, void*, std::size_t*)>("fmi3SerializedFMUStateSize", "fmi2SerializedFMUstateSize", state,
                                             &size) == 0);
  std::string bytes(size, '\0');
  CHECK(ask<int(void*, void*, char*, std::size_t)>("fmi3SerializeFMUState", "fmi2SerializeFMUstate", state,
                                                   bytes.data(), size) == 0);
  CHECK(ask<int(void*, void**)>("fmi3FreeFMUState", "fmi2FreeFMUstate", &state) == 0);
  return bytes;
}
int Exchange::restore(const std::string& bytes) {
  void* state = nullptr;
  CHECK(ask<int(void*, const char*, std::size_t, void**)>("fmi3DeserializeFMUState", "fmi2DeSerializeFMUstate",
                                                          bytes.data(), bytes.size(), &state) == 0);
  const int status = ask<int(void*, void*)>("fmi3SetFMUState", "fmi2SetFMUstate", state);
  CHECK(ask<int(void*, void**)>("fmi3FreeFMUState", "fmi2FreeFMUstate", &state) == 0);
  return status;
}

// ---- the integrator

int Exchange::begin(double start, double tolerance) {
  t_ = start;
  if (const int entered = enter(start, tolerance); entered != 0) return entered;
  if (const int left = exit(); left != 0) return left;
  if (const int updated = update(update_); updated != 0) return updated;
  CHECK(states(y_) == 0);
  return continuous_time();
}

void Exchange::rate(double t, const std::vector<double>& y, std::vector<double>& dy) {
  REQUIRE_MESSAGE(set_time(t) == 0, log);
  REQUIRE_MESSAGE(set_states(y) == 0, log);
  REQUIRE_MESSAGE(rates(dy) == 0, log);
}

void Exchange::step(double h, std::vector<double>& y) {
  constexpr double kAt[] = {0, 0.5, 0.5, 1}, kWeight[] = {1, 2, 2, 1};
  for (int s = 0; s < 4; ++s) {
    stage_ = y_;
    for (std::size_t i = 0; s > 0 && i < y_.size(); ++i) stage_[i] += h * kAt[s] * k_[s - 1][i];
    rate(t_ + kAt[s] * h, stage_, k_[s]);
  }
  y = y_;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (int s = 0; s < 4; ++s) sum += kWeight[s] * k_[s][i];
    y[i] += h / 6 * sum;
  }
}

std::vector<double> Exchange::signs(double t, const std::vector<double>& y) {
  std::vector<double> z;
  REQUIRE_MESSAGE(set_time(t) == 0, log);
  REQUIRE_MESSAGE(set_states(y) == 0, log);
  REQUIRE_MESSAGE(indicators(z) == 0, log);
  for (double& v : z) v = v > 0 ? 1 : 0;
  return z;
}

void Exchange::instant() {
  ++instants;
  REQUIRE_MESSAGE(event_mode() == 0, log);
  REQUIRE_MESSAGE(update(update_) == 0, log);
  if (update_.moved) REQUIRE(states(y_) == 0);
  if (!update_.terminate) REQUIRE_MESSAGE(continuous_time() == 0, log);
}

void Exchange::follow(double end, double h) {
  const double near = 1e-12 * std::max(1.0, std::fabs(end));
  std::vector<double> y;
  for (double grid = t_ + h; !ended() && t_ < end - near;) {
    double to = std::fabs(grid - end) < 1e-6 * h ? end : grid;
    const bool timed = update_.defined && update_.next <= to + near;
    if (timed) to = std::max(update_.next, t_);
    const std::vector<double> before = signs(t_, y_);
    double size = to - t_;
    step(size, y);
    bool found = signs(to, y) != before;
    if (found) {
      double low = 0;
      while (size - low > 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::fabs(to))) {
        const double middle = 0.5 * (low + size);
        step(middle, y);
        (signs(t_ + middle, y) != before ? size : low) = middle;
      }
      step(size, y);
      to = t_ + size;
      ++events;
    }
    if (std::fabs(to - grid) < 1e-6 * h) grid += h;
    t_ = to;
    y_ = y;
    REQUIRE(set_time(t_) == 0);
    REQUIRE(set_states(y_) == 0);
    bool wanted = false;
    REQUIRE_MESSAGE(completed(wanted) == 0, log);
    if (found || wanted || (timed && !found)) instant();
  }
}

}  // namespace mbc::test
