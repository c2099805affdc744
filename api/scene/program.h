// SPDX-License-Identifier: Apache-2.0
// Expressions of a model as a list of operations for many evaluations, once for every frame of a picture.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "api/model/leaf_values.h"

namespace mbc::api {

class Program {
 public:
  Program() = default;
  // Keeps no reference to the model. Leaves that a state does not determine (accelerations) are undefined.
  Program(const sema::Model& model, const std::vector<graph::NodeId>& roots);

  // Returns the values of the roots, valid until the next call.
  const std::vector<double>& run(const LeafSpans& given);

 private:
  struct Operation {
    graph::Op op;
    graph::LeafKind leaf;
    std::uint32_t a, b, c;  // places in values_; a is the index of a leaf
    double constant;
    std::shared_ptr<const kernel::DataTable> points;  // points of a table, with the order of its derivative
    std::uint32_t order;
  };

  PlacesInState places_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> roots_;
  std::vector<double> values_, results_;
};

}  // namespace mbc::api
