// SPDX-License-Identifier: Apache-2.0
// The functions of FMI 3.0.2 (https://fmi-standard.org), with the types of its fmi3FunctionTypes.h. Functions that this
// FMU does not offer (Scheduled Execution, clocks, directional derivatives, other types than Float64) return an error
// with a message.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/fmi/boundary.h"
#include "api/fmi/instance.h"

// NOLINTBEGIN(readability-identifier-naming): names of the standard
namespace {

using namespace mbc::fmi;

using fmi3ValueReference = std::uint32_t;
using fmi3LogMessage = void (*)(void* environment, int status, const char* category, const char* message);
using References = const fmi3ValueReference*;

Instance* of(void* instance) { return static_cast<Instance*>(instance); }

constexpr const char* kNotScheduled = "this FMU is for Model Exchange and Co-Simulation";
constexpr const char* kNoClocks = "this FMU has no clocks";
constexpr const char* kNoDerivatives = "this FMU gives no derivatives";
constexpr const char* kNoEventMode = "events happen within the steps of this FMU";

void* refused(void* environment, fmi3LogMessage log) {
  if (log != nullptr) log(environment, static_cast<int>(Status::error), "logStatusError", kNotScheduled);
  return nullptr;
}

void* make(Interface interface, const char* token, const char* resources, bool logging, void* environment,
           fmi3LogMessage log) noexcept {
  return mbc::fmi::made([&]() -> void* {
    const auto say = [environment, log](Status status, const char* category, const std::string& message) {
      if (log != nullptr) log(environment, static_cast<int>(status), category, message.c_str());
    };
    std::unique_ptr<Instance> made =
        Instance::make(resources == nullptr ? "" : resources, token == nullptr ? "" : token, interface, say);
    if (made) made->set_logging(logging);
    return made.release();
  });
}

}  // namespace

#define FMI3 extern "C" __attribute__((visibility("default")))
#define MBC_FMI(NAME, PHASES, CALL, PARAMETERS, ...) \
  FMI3 int fmi3##NAME PARAMETERS { return entered(of(instance), __func__, PHASES, CALL __VA_OPT__(, ) __VA_ARGS__); }
// A function that this FMU does not have, and why; its arguments follow the instance.
#define MBC_NOT_OFFERED(NAME, WHY, ...)                            \
  FMI3 int fmi3##NAME(void* instance __VA_OPT__(, ) __VA_ARGS__) { \
    return not_offered(of(instance), "fmi3" #NAME, WHY);           \
  }
// A function for `count` variables of a type that this FMU does not have.
#define MBC_NONE_OF(NAME, ...) \
  FMI3 int fmi3##NAME(void* instance, __VA_ARGS__) { return no_others(of(instance), "fmi3" #NAME, count, "Float64"); }

FMI3 const char* fmi3GetVersion() { return "3.0"; }
MBC_FMI(SetDebugLogging, kAnyPhase, &Instance::set_logging, (void* instance, bool on, std::size_t, const char* const*),
        on)

FMI3 void* fmi3InstantiateCoSimulation(const char*, const char* token, const char* resources, bool, bool logging, bool,
                                       bool, References, std::size_t, void* environment, fmi3LogMessage log,
                                       void (*)()) {
  return make(Interface::co_simulation, token, resources, logging, environment, log);
}
FMI3 void* fmi3InstantiateModelExchange(const char*, const char* token, const char* resources, bool, bool logging,
                                        void* environment, fmi3LogMessage log) {
  return make(Interface::model_exchange, token, resources, logging, environment, log);
}
FMI3 void* fmi3InstantiateScheduledExecution(const char*, const char*, const char*, bool, bool, void* environment,
                                             fmi3LogMessage log, void (*)(), void (*)(), void (*)()) {
  return refused(environment, log);
}
FMI3 void fmi3FreeInstance(void* instance) { delete static_cast<Instance*>(instance); }

FMI3 int fmi3EnterInitializationMode(void* instance, bool tolerance_defined, double tolerance, double start,
                                     bool stop_defined, double stop) {
  return entered(of(instance), __func__, {Phase::instantiated}, [&](Instance& i) {
    return i.enter_initialisation(start, stop_defined ? std::optional(stop) : std::nullopt,
                                  tolerance_defined ? std::optional(tolerance) : std::nullopt);
  });
}
MBC_FMI(Reset, kAnyPhase, &Instance::reset, (void* instance))

FMI3 int fmi3GetFloat64(void* instance, References references, std::size_t count, double* values, std::size_t size) {
  return entered(of(instance), __func__, kReadable, [&](Instance& i) {
    return size == count ? i.get(references, count, values) : i.fail("fmi3GetFloat64: each variable has one value");
  });
}
FMI3 int fmi3SetFloat64(void* instance, References references, std::size_t count, const double* values,
                        std::size_t size) {
  return entered(of(instance), __func__, kSettable, [&](Instance& i) {
    return size == count ? i.set(references, count, values) : i.fail("fmi3SetFloat64: each variable has one value");
  });
}

// Variables of other types: this FMU has none.
#define MBC_NO_TYPE(NAME, TYPE)                                                                     \
  FMI3 int fmi3Get##NAME(void* instance, References, std::size_t count, TYPE*, std::size_t) {       \
    return no_others(of(instance), "fmi3Get" #NAME, count, "Float64");                              \
  }                                                                                                 \
  FMI3 int fmi3Set##NAME(void* instance, References, std::size_t count, const TYPE*, std::size_t) { \
    return no_others(of(instance), "fmi3Set" #NAME, count, "Float64");                              \
  }
MBC_NO_TYPE(Float32, float)
MBC_NO_TYPE(Int8, std::int8_t)
MBC_NO_TYPE(UInt8, std::uint8_t)
MBC_NO_TYPE(Int16, std::int16_t)
MBC_NO_TYPE(UInt16, std::uint16_t)
MBC_NO_TYPE(Int32, std::int32_t)
MBC_NO_TYPE(UInt32, std::uint32_t)
MBC_NO_TYPE(Int64, std::int64_t)
MBC_NO_TYPE(UInt64, std::uint64_t)
MBC_NO_TYPE(Boolean, bool)
using Text = const char*;
MBC_NO_TYPE(String, Text)
#undef MBC_NO_TYPE
MBC_NONE_OF(GetBinary, References, std::size_t count, std::size_t*, const std::uint8_t**, std::size_t)
MBC_NONE_OF(SetBinary, References, std::size_t count, const std::size_t*, const std::uint8_t* const*, std::size_t)
MBC_NONE_OF(GetClock, References, std::size_t count, bool*)
MBC_NONE_OF(SetClock, References, std::size_t count, const bool*)

MBC_NOT_OFFERED(GetNumberOfVariableDependencies, "what depends on what is not told", fmi3ValueReference, std::size_t*)
MBC_NOT_OFFERED(GetVariableDependencies, "what depends on what is not told", fmi3ValueReference, std::size_t*,
                fmi3ValueReference*, std::size_t*, int*, std::size_t)

MBC_FMI(GetFMUState, kAnyPhase, mbc::fmi::keep, (void* instance, void** state), state)
MBC_FMI(SetFMUState, kAnyPhase, mbc::fmi::take, (void* instance, void* state), state)
FMI3 int fmi3FreeFMUState(void*, void** state) { return mbc::fmi::release(state); }
MBC_FMI(SerializedFMUStateSize, kAnyPhase, mbc::fmi::size_of, (void* instance, void* state, std::size_t* size), state,
        size)
MBC_FMI(SerializeFMUState, kAnyPhase, mbc::fmi::write,
        (void* instance, void* state, std::uint8_t* bytes, std::size_t size), state, bytes, size)
MBC_FMI(DeserializeFMUState, kAnyPhase, mbc::fmi::read,
        (void* instance, const std::uint8_t* bytes, std::size_t size, void** state), bytes, size, state)

MBC_NOT_OFFERED(GetDirectionalDerivative, kNoDerivatives, References, std::size_t, References, std::size_t,
                const double*, std::size_t, double*, std::size_t)
MBC_NOT_OFFERED(GetAdjointDerivative, kNoDerivatives, References, std::size_t, References, std::size_t, const double*,
                std::size_t, double*, std::size_t)
MBC_NOT_OFFERED(GetOutputDerivatives, kNoDerivatives, References, std::size_t, const std::int32_t*, double*,
                std::size_t)

MBC_NOT_OFFERED(EnterConfigurationMode, "this FMU has no structural parameters")
MBC_NOT_OFFERED(ExitConfigurationMode, "this FMU has no structural parameters")

// ---- clocks
MBC_NOT_OFFERED(GetIntervalDecimal, kNoClocks, References, std::size_t, double*, int*)
MBC_NOT_OFFERED(GetIntervalFraction, kNoClocks, References, std::size_t, std::uint64_t*, std::uint64_t*, int*)
MBC_NOT_OFFERED(GetShiftDecimal, kNoClocks, References, std::size_t, double*)
MBC_NOT_OFFERED(GetShiftFraction, kNoClocks, References, std::size_t, std::uint64_t*, std::uint64_t*)
MBC_NOT_OFFERED(SetIntervalDecimal, kNoClocks, References, std::size_t, const double*)
MBC_NOT_OFFERED(SetIntervalFraction, kNoClocks, References, std::size_t, const std::uint64_t*, const std::uint64_t*)
MBC_NOT_OFFERED(SetShiftDecimal, kNoClocks, References, std::size_t, const double*)
MBC_NOT_OFFERED(SetShiftFraction, kNoClocks, References, std::size_t, const std::uint64_t*, const std::uint64_t*)
MBC_NOT_OFFERED(ActivateModelPartition, kNoClocks, fmi3ValueReference, double)

// ---- event mode and Model Exchange
MBC_NOT_OFFERED(EnterStepMode, kNoEventMode)
FMI3 int fmi3EvaluateDiscreteStates(void* instance) {
  return entered(of(instance), __func__, {Phase::initialising, Phase::event}, [](Instance&) { return Status::ok; });
}
FMI3 int fmi3UpdateDiscreteStates(void* instance, bool* again, bool* terminate, bool* nominals_changed,
                                  bool* values_changed, bool* next_defined, double* next) {
  return entered(of(instance), __func__, {Phase::event}, [&](Instance& i) {
    Instance::Update made;
    const Status status = i.update(made);
    if (again != nullptr) *again = false;
    if (terminate != nullptr) *terminate = made.ended;
    if (nominals_changed != nullptr) *nominals_changed = false;
    if (values_changed != nullptr) *values_changed = made.moved;
    if (next_defined != nullptr) *next_defined = made.next.has_value();
    if (next != nullptr && made.next) *next = *made.next;
    return status;
  });
}
FMI3 int fmi3CompletedIntegratorStep(void* instance, bool, bool* event, bool* terminate) {
  return entered(of(instance), __func__, {Phase::continuous}, [&](Instance& i) {
    bool wanted = false;
    const Status status = i.completed_step(wanted);
    if (event != nullptr) *event = wanted;
    if (terminate != nullptr) *terminate = false;
    return status;
  });
}
MBC_FMI(GetContinuousStateDerivatives, kContinuous, &Instance::get_rates,
        (void* instance, double* values, std::size_t count), values, count)
FMI3 int fmi3GetNumberOfEventIndicators(void* instance, std::size_t* count) {
  return entered(of(instance), __func__, kAnyPhase, [&](Instance& i) {
    if (count != nullptr) *count = i.indicator_count();
    return Status::ok;
  });
}
FMI3 int fmi3GetNumberOfContinuousStates(void* instance, std::size_t* count) {
  return entered(of(instance), __func__, kAnyPhase, [&](Instance& i) {
    if (count != nullptr) *count = i.state_count();
    return Status::ok;
  });
}

FMI3 int fmi3DoStep(void* instance, double at, double h, bool, bool* event, bool* terminate, bool* early,
                    double* reached) {
  return entered(of(instance), __func__, {Phase::stepping}, [&](Instance& i) {
    bool ended = false;
    const Status status = i.step(at, h, ended);
    if (event != nullptr) *event = false;
    if (terminate != nullptr) *terminate = ended;
    if (early != nullptr) *early = ended;
    if (reached != nullptr) *reached = i.time();
    return status;
  });
}

#include "api/fmi/functions.def"
// NOLINTEND(readability-identifier-naming)
