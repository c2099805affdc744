// SPDX-License-Identifier: Apache-2.0
// A small importer of FMI 3 for Co-Simulation. It unpacks an FMU, opens its library, and calls it as a host does.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/scratch.h"

namespace mbc::test {

// An Fmu is an unpacked FMU and its library.
class Fmu {
 public:
  explicit Fmu(const std::string& path);
  ~Fmu();
  Fmu(const Fmu&) = delete;
  Fmu& operator=(const Fmu&) = delete;

  [[nodiscard]] std::string resources() const { return folder_ / "resources/"; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::string& token() const { return token_; }
  // Returns the value reference of a variable. The test fails if there is none.
  [[nodiscard]] std::uint32_t reference(const std::string& name) const;

  template <class Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  [[nodiscard]] void* symbol(const char* name) const;

  Folder folder_;
  std::string description_, token_;
  std::map<std::string, std::uint32_t> references_;
  void* library_ = nullptr;
};

// An Instance3 is an instance by FMI 3. It keeps its log messages.
class Instance3 {
 public:
  explicit Instance3(const Fmu& fmu, const std::string& token = "");
  ~Instance3();
  Instance3(const Instance3&) = delete;
  Instance3& operator=(const Instance3&) = delete;

  [[nodiscard]] bool made() const { return instance_ != nullptr; }
  int enter(double start, bool stops = false, double stop = 0);
  int exit();
  int begin(double start);  // Calls both functions.
  int step(double at, double h, bool* ended = nullptr);
  int get(const std::vector<std::uint32_t>& references, std::vector<double>& values);
  double value(const std::string& name);
  int set(const std::string& name, double value);
  int call(const char* name);  // Calls a function whose only argument is the instance.
  std::string saved();
  int restore(const std::string& bytes);
  std::string log;

 private:
  const Fmu& fmu_;
  void* instance_ = nullptr;
};

}  // namespace mbc::test
