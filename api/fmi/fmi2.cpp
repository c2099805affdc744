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

using namespace mbc::fmi;

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

Component& component(void* c) { return *static_cast<Component*>(c); }
Instance* of(void* c) { return c == nullptr ? nullptr : component(c).instance.get(); }

// Returns "file:///a%20b/resources" as a path.
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

Status no_status(Instance&) { return Status::discard; }

}  // namespace

#define FMI2 extern "C" __attribute__((visibility("default")))
#define MBC_FMI(NAME, PHASES, CALL, PARAMETERS, ...) \
  FMI2 int fmi2##NAME PARAMETERS { return entered(of(instance), __func__, PHASES, CALL __VA_OPT__(, ) __VA_ARGS__); }

FMI2 const char* fmi2GetTypesPlatform() { return "default"; }
FMI2 const char* fmi2GetVersion() { return "2.0"; }
MBC_FMI(SetDebugLogging, kAnyPhase, &Instance::set_logging,
        (void* instance, fmi2Boolean on, std::size_t, const char* const*), on != 0)

FMI2 void* fmi2Instantiate(const char* name, int type, const char* guid, const char* location,
                           const fmi2CallbackFunctions* functions, fmi2Boolean, fmi2Boolean logging) {
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

FMI2 void fmi2FreeInstance(void* c) { delete static_cast<Component*>(c); }

FMI2 int fmi2SetupExperiment(void* c, fmi2Boolean tolerance_defined, double tolerance, double start,
                             fmi2Boolean stop_defined, double stop) {
  return entered(of(c), __func__, {Phase::instantiated}, [&](Instance&) {
    component(c).given = true;
    component(c).start = start;
    component(c).tolerance = tolerance_defined != 0 ? std::optional(tolerance) : std::nullopt;
    component(c).stop = stop_defined != 0 ? std::optional(stop) : std::nullopt;
    return Status::ok;
  });
}
FMI2 int fmi2EnterInitializationMode(void* c) {
  return entered(of(c), __func__, {Phase::instantiated}, [&](Instance& i) {
    return i.enter_initialisation(component(c).given ? component(c).start : i.time(), component(c).stop,
                                  component(c).tolerance);
  });
}
FMI2 int fmi2Reset(void* c) {
  return entered(of(c), __func__, kAnyPhase, [&](Instance& i) {
    component(c).given = component(c).ended = false;
    component(c).stop.reset();
    component(c).tolerance.reset();
    return i.reset();
  });
}

MBC_FMI(GetReal, kReadable, &Instance::get,
        (void* instance, const fmi2ValueReference* references, std::size_t count, double* values), references, count,
        values)
MBC_FMI(SetReal, kSettable, &Instance::set,
        (void* instance, const fmi2ValueReference* references, std::size_t count, const double* values), references,
        count, values)

#define MBC_NO_TYPE(NAME, GIVEN, TAKEN)                                                  \
  FMI2 int fmi2Get##NAME(void* c, const fmi2ValueReference*, std::size_t count, GIVEN) { \
    return no_others(of(c), "fmi2Get" #NAME, count, "Real");                             \
  }                                                                                      \
  FMI2 int fmi2Set##NAME(void* c, const fmi2ValueReference*, std::size_t count, TAKEN) { \
    return no_others(of(c), "fmi2Set" #NAME, count, "Real");                             \
  }
MBC_NO_TYPE(Integer, int*, const int*)
MBC_NO_TYPE(Boolean, fmi2Boolean*, const fmi2Boolean*)
MBC_NO_TYPE(String, const char**, const char* const*)
#undef MBC_NO_TYPE

MBC_FMI(GetFMUstate, kAnyPhase, mbc::fmi::keep, (void* instance, void** state), state)
MBC_FMI(SetFMUstate, kAnyPhase, mbc::fmi::take, (void* instance, void* state), state)
FMI2 int fmi2FreeFMUstate(void*, void** state) { return mbc::fmi::release(state); }
MBC_FMI(SerializedFMUstateSize, kAnyPhase, mbc::fmi::size_of, (void* instance, void* state, std::size_t* size), state,
        size)
MBC_FMI(SerializeFMUstate, kAnyPhase, mbc::fmi::write, (void* instance, void* state, char* bytes, std::size_t size),
        state, bytes, size)
MBC_FMI(DeSerializeFMUstate, kAnyPhase, mbc::fmi::read,
        (void* instance, const char* bytes, std::size_t size, void** state), bytes, size, state)

MBC_FMI(GetDirectionalDerivative, kAnyPhase, &Instance::fail,
        (void* instance, const fmi2ValueReference*, std::size_t, const fmi2ValueReference*, std::size_t, const double*,
         double*),
        "this FMU gives no directional derivatives")
MBC_FMI(SetRealInputDerivatives, kAnyPhase, &Instance::fail,
        (void* instance, const fmi2ValueReference*, std::size_t, const int*, const double*),
        "this FMU takes no derivatives of inputs")
MBC_FMI(GetRealOutputDerivatives, kAnyPhase, &Instance::fail,
        (void* instance, const fmi2ValueReference*, std::size_t, const int*, double*),
        "this FMU gives no derivatives of outputs")

// ---- Model Exchange

FMI2 int fmi2NewDiscreteStates(void* c, fmi2EventInfo* info) {
  return entered(of(c), __func__, {Phase::event}, [&](Instance& i) {
    Instance::Update made;
    const Status status = i.update(made);
    if (info != nullptr)
      *info = {0, made.ended ? 1 : 0, 0, made.moved ? 1 : 0, made.next ? 1 : 0, made.next.value_or(0)};
    return status;
  });
}
FMI2 int fmi2CompletedIntegratorStep(void* c, fmi2Boolean, fmi2Boolean* event, fmi2Boolean* terminate) {
  return entered(of(c), __func__, {Phase::continuous}, [&](Instance& i) {
    bool wanted = false;
    const Status status = i.completed_step(wanted);
    if (event != nullptr) *event = wanted ? 1 : 0;
    if (terminate != nullptr) *terminate = 0;
    return status;
  });
}
MBC_FMI(GetDerivatives, kContinuous, &Instance::get_rates, (void* instance, double* values, std::size_t count), values,
        count)

// ---- Co-Simulation

// FMI 2 reports the end of a motion by fmi2Discard; fmi2GetBooleanStatus(fmi2Terminated) returns true then.
FMI2 int fmi2DoStep(void* c, double at, double h, fmi2Boolean) {
  return entered(of(c), __func__, {Phase::stepping}, [&](Instance& i) {
    const Status status = i.step(at, h, component(c).ended);
    return component(c).ended ? Status::discard : status;
  });
}
MBC_FMI(CancelStep, kAnyPhase, &Instance::fail, (void* instance), "steps of this FMU are over when fmi2DoStep returns")
MBC_FMI(GetStatus, kAnyPhase, no_status, (void* instance, int, int*))
FMI2 int fmi2GetRealStatus(void* c, int kind, double* value) {
  return entered(of(c), __func__, kAnyPhase, [&](Instance& i) {
    if (kind != fmi2LastSuccessfulTime || value == nullptr) return Status::discard;
    *value = i.time();
    return Status::ok;
  });
}
MBC_FMI(GetIntegerStatus, kAnyPhase, no_status, (void* instance, int, int*))
FMI2 int fmi2GetBooleanStatus(void* c, int kind, fmi2Boolean* value) {
  return entered(of(c), __func__, kAnyPhase, [&](Instance&) {
    if (kind != fmi2Terminated || value == nullptr) return Status::discard;
    *value = component(c).ended ? 1 : 0;
    return Status::ok;
  });
}
MBC_FMI(GetStringStatus, kAnyPhase, no_status, (void* instance, int, const char**))

#include "api/fmi/functions.def"
// NOLINTEND(readability-identifier-naming)
