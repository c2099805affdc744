// SPDX-License-Identifier: Apache-2.0
// A small importer for Model Exchange by FMI 3 and FMI 2. It integrates with the classical Runge-Kutta method on a grid
// of steps. A step ends at a known event or at one that is located by halving steps down to round-off.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/tools/fmu/importer.h"

namespace mbc::test {

// An Exchange is an instance for Model Exchange. Its calls return the status of the standard.
class Exchange {
 public:
  Exchange(const Fmu& fmu, int version);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] bool made() const { return instance_ != nullptr; }
  int enter(double start, double tolerance = 0);
  int exit();
  int event_mode();
  struct Update {
    bool terminate = false, moved = false, defined = false;
    double next = 0;
  };
  int update(Update& made);
  int continuous_time();
  int set_time(double t);
  int set_states(const std::vector<double>& y);
  int states(std::vector<double>& y);
  int rates(std::vector<double>& dy);
  int indicators(std::vector<double>& z);
  int nominals(std::vector<double>& y);
  int completed(bool& event);
  int get(const std::vector<std::uint32_t>& references, std::vector<double>& values);
  double value(const std::string& name);
  int set(const std::string& name, double value);
  int call(const char* name);  // The name is "Terminate" or "Reset".
  std::string saved();
  int restore(const std::string& bytes);
  [[nodiscard]] std::size_t state_count() const { return states_; }
  std::string log;

  // ---- the integrator: begin(), then follow() to increasing times
  int begin(double start, double tolerance = 0);
  void follow(double end, double h);  // Makes steps of h from the current time. REQUIREs that all calls succeed.
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] bool ended() const { return update_.terminate; }
  std::size_t events = 0, instants = 0;  // number of located events; number of visits of event mode

 private:
  template <class Function, class... Arguments>
  int ask(const char* name3, const char* name2, Arguments... arguments);
  void step(double h, std::vector<double>& y);  // Makes a step from the current state.
  void rate(double t, const std::vector<double>& y, std::vector<double>& dy);
  std::vector<double> signs(double t, const std::vector<double>& y);
  void instant();

  const Fmu& fmu_;
  const int version_;
  void* instance_ = nullptr;
  std::size_t states_ = 0, indicators_ = 0;
  double t_ = 0;
  std::vector<double> y_, k_[4], stage_;
  Update update_;
};

}  // namespace mbc::test
