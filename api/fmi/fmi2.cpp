// SPDX-License-Identifier: Apache-2.0
// The functions of FMI 2.0.4 (https://fmi-standard.org), with the types of its fmi2FunctionTypes.h.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/fmi/boundary.h"
#include "api/fmi/instance.h"

// NOLINTBEGIN(readability-identifier-naming): names of the standard
namespace {

using mbc::fmi::entered;
using mbc::fmi::Instance;
using mbc::fmi::Interface;
using mbc::fmi::Phase;
using mbc::fmi::Status;

using fmi2Boolean = int;
using fmi2ValueReference = unsigned int;

struct fmi2CallbackFunctions {
  void (*logger)(void* environment, const char* name, int status, const char* category, const char* message, ...);
  void* (*allocateMemory)(std::size_t count, std::size_t size);
  void (*freeMemory)(void* object);
  void (*stepFinished)(void* environment, int status);
  void* componentEnvironment;
};

enum fmi2StatusKind { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated };
enum fmi2Type { fmi2ModelExchange, fmi2CoSimulation };

struct fmi2EventInfo {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
      valuesOfContinuousStatesChanged, nextEventTimeDefined;
  double nextEventTime;
};

struct Component {
  std::unique_ptr<Instance> instance;
  double start = 0;
  std::optional<double> stop, tolerance;
  bool given = false;  // fmi2SetupExperiment was called
  bool ended = false;
};

Component* of(void* c) { return static_cast<Component*>(c); }

template <class Call>
int call(void* c, const char* name, std::initializer_list<Phase> phases, Call&& what) noexcept {
  if (c == nullptr) return static_cast<int>(Status::error);
  return entered(*of(c)->instance, name, phases, std::forward<Call>(what));
}

// "file:///a%20b/resources" as a path.
std::string path_of(const char* location) {
  std::string text = location == nullptr ? "" : location;
  if (text.starts_with("file:")) text.erase(0, 5);
  if (text.starts_with("//")) text.erase(0, std::min(text.find('/', 2), text.size()));
  std::string out;
  const auto digit = [](char d) { return d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10; };
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool coded = text[k] == '%' && k + 2 < text.size() &&
                       std::isxdigit(static_cast<unsigned char>(text[k + 1])) &&
                       std::isxdigit(static_cast<unsigned char>(text[k + 2]));
    out += coded ? static_cast<char>(16 * digit(text[k + 1]) + digit(text[k + 2])) : text[k];
    if (coded) k += 2;
  }
  return out;
}

// Integers, truths and texts: a model has none.
int no_others(void* c, const char* name, std::size_t count) noexcept {
  return call(c, name, mbc::fmi::kAnyPhase, [&](Instance& i) {
    return count == 0 ? Status::ok : i.fail(std::string(name) + ": all variables of this FMU are of type Real");
  });
}

}  // namespace

#define FMI2 extern "C" __attribute__((visibility("default")))

FMI2 const char* fmi2GetTypesPlatform() { return "default"; }
FMI2 const char* fmi2GetVersion() { return "2.0"; }
FMI2 int fmi2SetDebugLogging(void* c, fmi2Boolean on, std::size_t /*count*/, const char* const* /*categories*/) {
  return call(c, "fmi2SetDebugLogging", mbc::fmi::kAnyPhase, [&](Instance& i) {
    i.set_logging(on != 0);
    return Status::ok;
  });
}

FMI2 void* fmi2Instantiate(const char* name, int type, const char* guid, const char* location,
                           const fmi2CallbackFunctions* functions, fmi2Boolean /*visible*/, fmi2Boolean logging) {
  if (functions == nullptr) return nullptr;
  const fmi2CallbackFunctions host = *functions;
  const std::string own = name == nullptr ? "" : name;
  const auto log = [host, own](Status status, const char* category, const std::string& message) {
    if (host.logger != nullptr)
      host.logger(host.componentEnvironment, own.c_str(), static_cast<int>(status), category, "%s", message.c_str());
  };
  return mbc::fmi::made([&]() -> void* {
    if (type != fmi2ModelExchange && type != fmi2CoSimulation) {
      log(Status::error, "logStatusError", "there is no such type of FMU");
      return nullptr;
    }
    const auto interface = type == fmi2ModelExchange ? Interface::model_exchange : Interface::co_simulation;
    std::unique_ptr<Instance> instance = Instance::make(path_of(location), guid == nullptr ? "" : guid, interface, log);
    if (!instance) return nullptr;
    instance->set_logging(logging != 0);
    return new Component{std::move(instance), 0, {}, {}, false, false};
  });
}

FMI2 void fmi2FreeInstance(void* c) { delete of(c); }

FMI2 int fmi2SetupExperiment(void* c, fmi2Boolean tolerance_defined, double tolerance, double start,
                             fmi2Boolean stop_defined, double stop) {
  return call(c, "fmi2SetupExperiment", {Phase::instantiated}, [&](Instance&) {
    of(c)->given = true;
    of(c)->start = start;
    of(c)->tolerance = tolerance_defined != 0 ? std::optional(tolerance) : std::nullopt;
    of(c)->stop = stop_defined != 0 ? std::optional(stop) : std::nullopt;
    return Status::ok;
  });
}
FMI2 int fmi2EnterInitializationMode(void* c) {
  return call(c, "fmi2EnterInitializationMode", {Phase::instantiated}, [&](Instance& i) {
    return i.enter_initialisation(of(c)->given ? of(c)->start : i.time(), of(c)->stop, of(c)->tolerance);
  });
}
FMI2 int fmi2ExitInitializationMode(void* c) {
  return call(c, "fmi2ExitInitializationMode", {Phase::initialising},
              [](Instance& i) { return i.exit_initialisation(); });
}
FMI2 int fmi2Terminate(void* c) {
  return call(c, "fmi2Terminate", mbc::fmi::kOpen, [](Instance& i) { return i.terminate(); });
}
FMI2 int fmi2Reset(void* c) {
  return call(c, "fmi2Reset", mbc::fmi::kAnyPhase, [&](Instance& i) {
    of(c)->given = of(c)->ended = false;
    of(c)->stop.reset();
    of(c)->tolerance.reset();
    return i.reset();
  });
}

FMI2 int fmi2GetReal(void* c, const fmi2ValueReference* references, std::size_t count, double* values) {
  return call(c, "fmi2GetReal", mbc::fmi::kReadable, [&](Instance& i) { return i.get(references, count, values); });
}
FMI2 int fmi2SetReal(void* c, const fmi2ValueReference* references, std::size_t count, const double* values) {
  return call(c, "fmi2SetReal", mbc::fmi::kSettable, [&](Instance& i) { return i.set(references, count, values); });
}

FMI2 int fmi2GetInteger(void* c, const fmi2ValueReference* /*r*/, std::size_t count, int* /*v*/) {
  return no_others(c, "fmi2GetInteger", count);
}
FMI2 int fmi2GetBoolean(void* c, const fmi2ValueReference* /*r*/, std::size_t count, fmi2Boolean* /*v*/) {
  return no_others(c, "fmi2GetBoolean", count);
}
FMI2 int fmi2GetString(void* c, const fmi2ValueReference* /*r*/, std::size_t count, const char** /*v*/) {
  return no_others(c, "fmi2GetString", count);
}
FMI2 int fmi2SetInteger(void* c, const fmi2ValueReference* /*r*/, std::size_t count, const int* /*v*/) {
  return no_others(c, "fmi2SetInteger", count);
}
FMI2 int fmi2SetBoolean(void* c, const fmi2ValueReference* /*r*/, std::size_t count, const fmi2Boolean* /*v*/) {
  return no_others(c, "fmi2SetBoolean", count);
}
FMI2 int fmi2SetString(void* c, const fmi2ValueReference* /*r*/, std::size_t count, const char* const* /*v*/) {
  return no_others(c, "fmi2SetString", count);
}

FMI2 int fmi2GetFMUstate(void* c, void** state) {
  return call(c, "fmi2GetFMUstate", mbc::fmi::kAnyPhase, [&](Instance& i) { return mbc::fmi::keep(i, state); });
}
FMI2 int fmi2SetFMUstate(void* c, void* state) {
  return call(c, "fmi2SetFMUstate", mbc::fmi::kAnyPhase, [&](Instance& i) { return mbc::fmi::take(i, state); });
}
FMI2 int fmi2FreeFMUstate(void* /*c*/, void** state) { return mbc::fmi::release(state); }
FMI2 int fmi2SerializedFMUstateSize(void* c, void* state, std::size_t* size) {
  return call(c, "fmi2SerializedFMUstateSize", mbc::fmi::kAnyPhase,
              [&](Instance& i) { return mbc::fmi::size_of(i, state, size); });
}
FMI2 int fmi2SerializeFMUstate(void* c, void* state, char* bytes, std::size_t size) {
  return call(c, "fmi2SerializeFMUstate", mbc::fmi::kAnyPhase,
              [&](Instance& i) { return mbc::fmi::write(i, state, bytes, size); });
}
FMI2 int fmi2DeSerializeFMUstate(void* c, const char* bytes, std::size_t size, void** state) {
  return call(c, "fmi2DeSerializeFMUstate", mbc::fmi::kAnyPhase,
              [&](Instance& i) { return mbc::fmi::read(i, bytes, size, state); });
}

FMI2 int fmi2GetDirectionalDerivative(void* c, const fmi2ValueReference* /*unknowns*/, std::size_t /*n*/,
                                      const fmi2ValueReference* /*knowns*/, std::size_t /*m*/, const double* /*seed*/,
                                      double* /*sensitivity*/) {
  return call(c, "fmi2GetDirectionalDerivative", mbc::fmi::kAnyPhase,
              [](Instance& i) { return i.fail("this FMU gives no directional derivatives"); });
}
FMI2 int fmi2SetRealInputDerivatives(void* c, const fmi2ValueReference* /*r*/, std::size_t /*n*/, const int* /*order*/,
                                     const double* /*v*/) {
  return call(c, "fmi2SetRealInputDerivatives", mbc::fmi::kAnyPhase,
              [](Instance& i) { return i.fail("this FMU takes no derivatives of inputs"); });
}
FMI2 int fmi2GetRealOutputDerivatives(void* c, const fmi2ValueReference* /*r*/, std::size_t /*n*/, const int* /*order*/,
                                      double* /*v*/) {
  return call(c, "fmi2GetRealOutputDerivatives", mbc::fmi::kAnyPhase,
              [](Instance& i) { return i.fail("this FMU gives no derivatives of outputs"); });
}

// ---- Model Exchange

FMI2 int fmi2EnterEventMode(void* c) {
  return call(c, "fmi2EnterEventMode", {Phase::continuous}, [](Instance& i) { return i.enter_event_mode(); });
}
FMI2 int fmi2NewDiscreteStates(void* c, fmi2EventInfo* info) {
  return call(c, "fmi2NewDiscreteStates", {Phase::event}, [&](Instance& i) {
    Instance::Update made;
    const Status status = i.update(made);
    if (info != nullptr)
      *info = {0, made.ended ? 1 : 0, 0, made.moved ? 1 : 0, made.next ? 1 : 0, made.next.value_or(0)};
    return status;
  });
}
FMI2 int fmi2EnterContinuousTimeMode(void* c) {
  return call(c, "fmi2EnterContinuousTimeMode", {Phase::event}, [](Instance& i) { return i.enter_continuous_time(); });
}
FMI2 int fmi2CompletedIntegratorStep(void* c, fmi2Boolean /*no_state_set_before*/, fmi2Boolean* event,
                                     fmi2Boolean* terminate) {
  return call(c, "fmi2CompletedIntegratorStep", {Phase::continuous}, [&](Instance& i) {
    bool wanted = false;
    const Status status = i.completed_step(wanted);
    if (event != nullptr) *event = wanted ? 1 : 0;
    if (terminate != nullptr) *terminate = 0;
    return status;
  });
}
FMI2 int fmi2SetTime(void* c, double time) {
  return call(c, "fmi2SetTime", mbc::fmi::kExchange, [&](Instance& i) { return i.set_time(time); });
}
FMI2 int fmi2SetContinuousStates(void* c, const double* values, std::size_t count) {
  return call(c, "fmi2SetContinuousStates", {Phase::continuous},
              [&](Instance& i) { return i.set_states(values, count); });
}
FMI2 int fmi2GetDerivatives(void* c, double* values, std::size_t count) {
  return call(c, "fmi2GetDerivatives", mbc::fmi::kContinuous, [&](Instance& i) { return i.get_rates(values, count); });
}
FMI2 int fmi2GetEventIndicators(void* c, double* values, std::size_t count) {
  return call(c, "fmi2GetEventIndicators", mbc::fmi::kContinuous,
              [&](Instance& i) { return i.get_indicators(values, count); });
}
FMI2 int fmi2GetContinuousStates(void* c, double* values, std::size_t count) {
  return call(c, "fmi2GetContinuousStates", mbc::fmi::kContinuous,
              [&](Instance& i) { return i.get_states(values, count); });
}
FMI2 int fmi2GetNominalsOfContinuousStates(void* c, double* values, std::size_t count) {
  return call(c, "fmi2GetNominalsOfContinuousStates", mbc::fmi::kAnyPhase,
              [&](Instance& i) { return i.get_nominals(values, count); });
}

// ---- Co-Simulation

// FMI 2 tells the end of a motion by fmi2Discard, and answers fmi2GetBooleanStatus(fmi2Terminated) then.
FMI2 int fmi2DoStep(void* c, double at, double h, fmi2Boolean /*no_state_set_before*/) {
  return call(c, "fmi2DoStep", {Phase::stepping}, [&](Instance& i) {
    const Status status = i.step(at, h, of(c)->ended);
    return of(c)->ended ? Status::discard : status;
  });
}
FMI2 int fmi2CancelStep(void* c) {
  return call(c, "fmi2CancelStep", mbc::fmi::kAnyPhase,
              [](Instance& i) { return i.fail("steps of this FMU are over when fmi2DoStep returns"); });
}
FMI2 int fmi2GetStatus(void* c, int /*kind*/, int* /*value*/) {
  return call(c, "fmi2GetStatus", mbc::fmi::kAnyPhase, [](Instance&) { return Status::discard; });
}
FMI2 int fmi2GetRealStatus(void* c, int kind, double* value) {
  return call(c, "fmi2GetRealStatus", mbc::fmi::kAnyPhase, [&](Instance& i) {
    if (kind != fmi2LastSuccessfulTime || value == nullptr) return Status::discard;
    *value = i.time();
    return Status::ok;
  });
}
FMI2 int fmi2GetIntegerStatus(void* c, int /*kind*/, int* /*value*/) {
  return call(c, "fmi2GetIntegerStatus", mbc::fmi::kAnyPhase, [](Instance&) { return Status::discard; });
}
FMI2 int fmi2GetBooleanStatus(void* c, int kind, fmi2Boolean* value) {
  return call(c, "fmi2GetBooleanStatus", mbc::fmi::kAnyPhase, [&](Instance&) {
    if (kind != fmi2Terminated || value == nullptr) return Status::discard;
    *value = of(c)->ended ? 1 : 0;
    return Status::ok;
  });
}
FMI2 int fmi2GetStringStatus(void* c, int /*kind*/, const char** /*value*/) {
  return call(c, "fmi2GetStringStatus", mbc::fmi::kAnyPhase, [](Instance&) { return Status::discard; });
}
// NOLINTEND(readability-identifier-naming)
