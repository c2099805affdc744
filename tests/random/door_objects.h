// SPDX-License-Identifier: Apache-2.0
// Models outside of mbc: machine code that needs no library of mbc, and FMUs.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tests/support/scratch.h"
#include "tests/tools/fmu/importer.h"

namespace mbc::test {

// A SharedObject is a model as machine code without mbc. It has the equations of models without a discrete state whose
// rows are independent.
class SharedObject {
 public:
  // `links`: a linker joins the object file with the support library; otherwise mbc makes the shared object.
  SharedObject(const Model& model, bool links);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  // `params`: those of the model, then Baumgarte's gains if the block has them.
  [[nodiscard]] std::vector<double> rates(double time, const std::vector<double>& state, std::vector<double> params,
                                          std::vector<double> inputs);

 private:
  using Function = std::int32_t(double, const double*, const double*, const double*, const double*, double*, double*);
  std::vector<double> mask_, work_;
  std::size_t params_, inputs_;
  void* library_ = nullptr;
  Function* function_ = nullptr;
};

// Returns the FMU that the program exports; null with the reason in `why` if it refuses the model.
std::unique_ptr<Fmu> exported_fmu(const Folder& folder, const std::string& file, const std::vector<std::string>& set,
                                  std::string& why);

}  // namespace mbc::test
