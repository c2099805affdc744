// SPDX-License-Identifier: Apache-2.0
// The functions of FMI 3.0.2 (https://fmi-standard.org), with the types of its fmi3FunctionTypes.h. What this FMU does
// not offer (Scheduled Execution, clocks, directional derivatives, other types than Float64) answers with an error and
// says so.
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

using mbc::fmi::entered;
using mbc::fmi::Instance;
using mbc::fmi::Interface;
using mbc::fmi::kAnyPhase;
using mbc::fmi::Phase;
using mbc::fmi::Status;

using fmi3ValueReference = std::uint32_t;
using fmi3LogMessage = void (*)(void* environment, int status, const char* category, const char* message);
using References = const fmi3ValueReference*;

template <class Call>
int call(void* instance, const char* name, std::initializer_list<Phase> phases, Call&& what) noexcept {
  if (instance == nullptr) return static_cast<int>(Status::error);
  return entered(*static_cast<Instance*>(instance), name, phases, std::forward<Call>(what));
}

int not_offered(void* instance, const char* name, const char* why) noexcept {
  return call(instance, name, kAnyPhase, [&](Instance& i) { return i.fail(std::string(name) + ": " + why); });
}

// Of another type, clocks: right as long as nothing is asked for.
int no_others(void* instance, const char* name, std::size_t count) noexcept {
  if (count > 0) return not_offered(instance, name, "all variables of this FMU are of type Float64");
  return call(instance, name, kAnyPhase, [](Instance&) { return Status::ok; });
}

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

FMI3 const char* fmi3GetVersion() { return "3.0"; }
FMI3 int fmi3SetDebugLogging(void* instance, bool on, std::size_t /*count*/, const char* const* /*categories*/) {
  return call(instance, "fmi3SetDebugLogging", kAnyPhase, [&](Instance& i) {
    i.set_logging(on);
    return Status::ok;
  });
}

FMI3 void* fmi3InstantiateCoSimulation(const char* /*name*/, const char* token, const char* resources, bool /*visible*/,
                                       bool logging, bool /*event_mode*/, bool /*early_return*/,
                                       References /*intermediate*/, std::size_t /*count*/, void* environment,
                                       fmi3LogMessage log, void (* /*update*/)()) {
  return make(Interface::co_simulation, token, resources, logging, environment, log);
}
FMI3 void* fmi3InstantiateModelExchange(const char* /*name*/, const char* token, const char* resources,
                                        bool /*visible*/, bool logging, void* environment, fmi3LogMessage log) {
  return make(Interface::model_exchange, token, resources, logging, environment, log);
}
FMI3 void* fmi3InstantiateScheduledExecution(const char* /*name*/, const char* /*token*/, const char* /*resources*/,
                                             bool /*visible*/, bool /*logging*/, void* environment, fmi3LogMessage log,
                                             void (* /*update*/)(), void (* /*lock*/)(), void (* /*unlock*/)()) {
  return refused(environment, log);
}
FMI3 void fmi3FreeInstance(void* instance) { delete static_cast<Instance*>(instance); }

FMI3 int fmi3EnterInitializationMode(void* instance, bool tolerance_defined, double tolerance, double start,
                                     bool stop_defined, double stop) {
  return call(instance, "fmi3EnterInitializationMode", {Phase::instantiated}, [&](Instance& i) {
    return i.enter_initialisation(start, stop_defined ? std::optional(stop) : std::nullopt,
                                  tolerance_defined ? std::optional(tolerance) : std::nullopt);
  });
}
FMI3 int fmi3ExitInitializationMode(void* instance) {
  return call(instance, "fmi3ExitInitializationMode", {Phase::initialising},
              [](Instance& i) { return i.exit_initialisation(); });
}
FMI3 int fmi3Terminate(void* instance) {
  return call(instance, "fmi3Terminate", mbc::fmi::kOpen, [](Instance& i) { return i.terminate(); });
}
FMI3 int fmi3Reset(void* instance) {
  return call(instance, "fmi3Reset", kAnyPhase, [](Instance& i) { return i.reset(); });
}

FMI3 int fmi3GetFloat64(void* instance, References references, std::size_t count, double* values, std::size_t size) {
  return call(instance, "fmi3GetFloat64", mbc::fmi::kReadable, [&](Instance& i) {
    return size == count ? i.get(references, count, values) : i.fail("fmi3GetFloat64: each variable has one value");
  });
}
FMI3 int fmi3SetFloat64(void* instance, References references, std::size_t count, const double* values,
                        std::size_t size) {
  return call(instance, "fmi3SetFloat64", mbc::fmi::kSettable, [&](Instance& i) {
    return size == count ? i.set(references, count, values) : i.fail("fmi3SetFloat64: each variable has one value");
  });
}

// Variables of other types: there are none.
#define MBC_NO_TYPE(NAME, TYPE)                                                                     \
  FMI3 int fmi3Get##NAME(void* instance, References, std::size_t count, TYPE*, std::size_t) {       \
    return no_others(instance, "fmi3Get" #NAME, count);                                             \
  }                                                                                                 \
  FMI3 int fmi3Set##NAME(void* instance, References, std::size_t count, const TYPE*, std::size_t) { \
    return no_others(instance, "fmi3Set" #NAME, count);                                             \
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
FMI3 int fmi3GetBinary(void* instance, References, std::size_t count, std::size_t*, const std::uint8_t**, std::size_t) {
  return no_others(instance, "fmi3GetBinary", count);
}
FMI3 int fmi3SetBinary(void* instance, References, std::size_t count, const std::size_t*, const std::uint8_t* const*,
                       std::size_t) {
  return no_others(instance, "fmi3SetBinary", count);
}
FMI3 int fmi3GetClock(void* instance, References, std::size_t count, bool*) {
  return no_others(instance, "fmi3GetClock", count);
}
FMI3 int fmi3SetClock(void* instance, References, std::size_t count, const bool*) {
  return no_others(instance, "fmi3SetClock", count);
}

FMI3 int fmi3GetNumberOfVariableDependencies(void* instance, fmi3ValueReference, std::size_t*) {
  return not_offered(instance, "fmi3GetNumberOfVariableDependencies", "what depends on what is not told");
}
FMI3 int fmi3GetVariableDependencies(void* instance, fmi3ValueReference, std::size_t*, fmi3ValueReference*,
                                     std::size_t*, int*, std::size_t) {
  return not_offered(instance, "fmi3GetVariableDependencies", "what depends on what is not told");
}

FMI3 int fmi3GetFMUState(void* instance, void** state) {
  return call(instance, "fmi3GetFMUState", kAnyPhase, [&](Instance& i) { return mbc::fmi::keep(i, state); });
}
FMI3 int fmi3SetFMUState(void* instance, void* state) {
  return call(instance, "fmi3SetFMUState", kAnyPhase, [&](Instance& i) { return mbc::fmi::take(i, state); });
}
FMI3 int fmi3FreeFMUState(void* /*instance*/, void** state) { return mbc::fmi::release(state); }
FMI3 int fmi3SerializedFMUStateSize(void* instance, void* state, std::size_t* size) {
  return call(instance, "fmi3SerializedFMUStateSize", kAnyPhase,
              [&](Instance& i) { return mbc::fmi::size_of(i, state, size); });
}
FMI3 int fmi3SerializeFMUState(void* instance, void* state, std::uint8_t* bytes, std::size_t size) {
  return call(instance, "fmi3SerializeFMUState", kAnyPhase,
              [&](Instance& i) { return mbc::fmi::write(i, state, bytes, size); });
}
FMI3 int fmi3DeserializeFMUState(void* instance, const std::uint8_t* bytes, std::size_t size, void** state) {
  return call(instance, "fmi3DeserializeFMUState", kAnyPhase,
              [&](Instance& i) { return mbc::fmi::read(i, bytes, size, state); });
}

FMI3 int fmi3GetDirectionalDerivative(void* instance, References, std::size_t, References, std::size_t, const double*,
                                      std::size_t, double*, std::size_t) {
  return not_offered(instance, "fmi3GetDirectionalDerivative", kNoDerivatives);
}
FMI3 int fmi3GetAdjointDerivative(void* instance, References, std::size_t, References, std::size_t, const double*,
                                  std::size_t, double*, std::size_t) {
  return not_offered(instance, "fmi3GetAdjointDerivative", kNoDerivatives);
}
FMI3 int fmi3GetOutputDerivatives(void* instance, References, std::size_t, const std::int32_t*, double*, std::size_t) {
  return not_offered(instance, "fmi3GetOutputDerivatives", kNoDerivatives);
}

FMI3 int fmi3EnterConfigurationMode(void* instance) {
  return not_offered(instance, "fmi3EnterConfigurationMode", "this FMU has no structural parameters");
}
FMI3 int fmi3ExitConfigurationMode(void* instance) {
  return not_offered(instance, "fmi3ExitConfigurationMode", "this FMU has no structural parameters");
}

// ---- clocks
FMI3 int fmi3GetIntervalDecimal(void* instance, References, std::size_t, double*, int*) {
  return not_offered(instance, "fmi3GetIntervalDecimal", kNoClocks);
}
FMI3 int fmi3GetIntervalFraction(void* instance, References, std::size_t, std::uint64_t*, std::uint64_t*, int*) {
  return not_offered(instance, "fmi3GetIntervalFraction", kNoClocks);
}
FMI3 int fmi3GetShiftDecimal(void* instance, References, std::size_t, double*) {
  return not_offered(instance, "fmi3GetShiftDecimal", kNoClocks);
}
FMI3 int fmi3GetShiftFraction(void* instance, References, std::size_t, std::uint64_t*, std::uint64_t*) {
  return not_offered(instance, "fmi3GetShiftFraction", kNoClocks);
}
FMI3 int fmi3SetIntervalDecimal(void* instance, References, std::size_t, const double*) {
  return not_offered(instance, "fmi3SetIntervalDecimal", kNoClocks);
}
FMI3 int fmi3SetIntervalFraction(void* instance, References, std::size_t, const std::uint64_t*, const std::uint64_t*) {
  return not_offered(instance, "fmi3SetIntervalFraction", kNoClocks);
}
FMI3 int fmi3SetShiftDecimal(void* instance, References, std::size_t, const double*) {
  return not_offered(instance, "fmi3SetShiftDecimal", kNoClocks);
}
FMI3 int fmi3SetShiftFraction(void* instance, References, std::size_t, const std::uint64_t*, const std::uint64_t*) {
  return not_offered(instance, "fmi3SetShiftFraction", kNoClocks);
}
FMI3 int fmi3ActivateModelPartition(void* instance, fmi3ValueReference, double) {
  return not_offered(instance, "fmi3ActivateModelPartition", kNoClocks);
}

// ---- event mode and Model Exchange
FMI3 int fmi3EnterEventMode(void* instance) {
  return call(instance, "fmi3EnterEventMode", {Phase::continuous}, [](Instance& i) { return i.enter_event_mode(); });
}
FMI3 int fmi3EnterStepMode(void* instance) { return not_offered(instance, "fmi3EnterStepMode", kNoEventMode); }
FMI3 int fmi3EvaluateDiscreteStates(void* instance) {
  return call(instance, "fmi3EvaluateDiscreteStates", {Phase::initialising, Phase::event},
              [](Instance&) { return Status::ok; });
}
FMI3 int fmi3UpdateDiscreteStates(void* instance, bool* again, bool* terminate, bool* nominals_changed,
                                  bool* values_changed, bool* next_defined, double* next) {
  return call(instance, "fmi3UpdateDiscreteStates", {Phase::event}, [&](Instance& i) {
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
FMI3 int fmi3EnterContinuousTimeMode(void* instance) {
  return call(instance, "fmi3EnterContinuousTimeMode", {Phase::event},
              [](Instance& i) { return i.enter_continuous_time(); });
}
FMI3 int fmi3CompletedIntegratorStep(void* instance, bool /*no_state_set_before*/, bool* event, bool* terminate) {
  return call(instance, "fmi3CompletedIntegratorStep", {Phase::continuous}, [&](Instance& i) {
    bool wanted = false;
    const Status status = i.completed_step(wanted);
    if (event != nullptr) *event = wanted;
    if (terminate != nullptr) *terminate = false;
    return status;
  });
}
FMI3 int fmi3SetTime(void* instance, double time) {
  return call(instance, "fmi3SetTime", mbc::fmi::kExchange, [&](Instance& i) { return i.set_time(time); });
}
FMI3 int fmi3SetContinuousStates(void* instance, const double* values, std::size_t count) {
  return call(instance, "fmi3SetContinuousStates", {Phase::continuous},
              [&](Instance& i) { return i.set_states(values, count); });
}
FMI3 int fmi3GetContinuousStateDerivatives(void* instance, double* values, std::size_t count) {
  return call(instance, "fmi3GetContinuousStateDerivatives", mbc::fmi::kContinuous,
              [&](Instance& i) { return i.get_rates(values, count); });
}
FMI3 int fmi3GetEventIndicators(void* instance, double* values, std::size_t count) {
  return call(instance, "fmi3GetEventIndicators", mbc::fmi::kContinuous,
              [&](Instance& i) { return i.get_indicators(values, count); });
}
FMI3 int fmi3GetContinuousStates(void* instance, double* values, std::size_t count) {
  return call(instance, "fmi3GetContinuousStates", mbc::fmi::kContinuous,
              [&](Instance& i) { return i.get_states(values, count); });
}
FMI3 int fmi3GetNominalsOfContinuousStates(void* instance, double* values, std::size_t count) {
  return call(instance, "fmi3GetNominalsOfContinuousStates", kAnyPhase,
              [&](Instance& i) { return i.get_nominals(values, count); });
}
FMI3 int fmi3GetNumberOfEventIndicators(void* instance, std::size_t* count) {
  return call(instance, "fmi3GetNumberOfEventIndicators", kAnyPhase, [&](Instance& i) {
    if (count != nullptr) *count = i.indicator_count();
    return Status::ok;
  });
}
FMI3 int fmi3GetNumberOfContinuousStates(void* instance, std::size_t* count) {
  return call(instance, "fmi3GetNumberOfContinuousStates", kAnyPhase, [&](Instance& i) {
    if (count != nullptr) *count = i.state_count();
    return Status::ok;
  });
}

FMI3 int fmi3DoStep(void* instance, double at, double h, bool /*no_state_set_before*/, bool* event, bool* terminate,
                    bool* early, double* reached) {
  return call(instance, "fmi3DoStep", {Phase::stepping}, [&](Instance& i) {
    bool ended = false;
    const Status status = i.step(at, h, ended);
    if (event != nullptr) *event = false;
    if (terminate != nullptr) *terminate = ended;
    if (early != nullptr) *early = ended;
    if (reached != nullptr) *reached = i.time();
    return status;
  });
}
// NOLINTEND(readability-identifier-naming)
