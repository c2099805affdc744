// SPDX-License-Identifier: Apache-2.0
// Writes rows to the dataset `/rows`. They are gathered in chunks and written after several chunks, and at least once a
// second.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "api/output/hdf5/handles.h"
#include "api/output/hdf5_library.h"

namespace mbc::output {

class Hdf5Writer final : public RowWriter {
 public:
  Hdf5Writer(FileSink& sink, Hdf5Facts facts) : sink_(sink), facts_(std::move(facts)) {}

  [[nodiscard]] bool header(std::size_t columns, const NameOf& name_of) override;
  [[nodiscard]] bool row(double first, std::span<const double> others) override;
  [[nodiscard]] bool finish() override;
  [[nodiscard]] const std::string& error() const override { return sink_.error(); }

 private:
  bool create();
  bool describe(const NameOf& name_of);
  bool write_rows();
  bool flush();
  // Returns whether neither HDF5 nor the sink has a failure.
  bool good(bool done);

  FileSink& sink_;
  Hdf5Facts facts_;
  Handle file_, dataset_;
  std::size_t columns_ = 0, chunk_ = 1;  // chunk_: rows of a chunk
  std::vector<double> gathered_;
  std::uint64_t written_ = 0, arrived_ = 0;  // rows in the dataset, in the file
  std::chrono::steady_clock::time_point flushed_{};
};

}  // namespace mbc::output
