// SPDX-License-Identifier: Apache-2.0
// Rows as HDF5: what libmbc-hdf5.so gives, which is opened when such a file is asked for, so that nothing else is
// linked to libhdf5.
//
// A file holds one dataset, `/rows`, a line for each row and a column for each quantity, the time first. Its attributes
// `columns`, `units` and `descriptions` say what they are; those of the file what is known before the run begins. They
// are there before the first row. From then on the file is whole at every moment: data is written before what
// refers to it, so that a killed run leaves a file that any reader of HDF5 opens, and one that is being written can be
// read meanwhile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/output/csv_writer.h"
#include "api/output/file_sink.h"
#include "api/output/sidecar.h"

namespace mbc::output {

struct Hdf5Facts {
  using Value = std::variant<std::string, double, std::vector<std::string>, std::vector<double>>;
  std::vector<std::pair<std::string, Value>> attributes;  // of the file
  std::function<Sidecar::Column(std::size_t)> column;
};

// A file that is read.
class Hdf5Table {
 public:
  virtual ~Hdf5Table() = default;
  [[nodiscard]] virtual const std::vector<Sidecar::Column>& columns() const = 0;
  [[nodiscard]] virtual std::uint64_t rows() const = 0;
  // Whole rows, one behind the other.
  [[nodiscard]] virtual bool read(std::uint64_t first, std::uint64_t count, double* values) const = 0;
};

class Hdf5Library {
 public:
  virtual ~Hdf5Library() = default;
  // `sink` has an empty plain file, may read it, and outlives the writer.
  [[nodiscard]] virtual std::unique_ptr<RowWriter> writer(FileSink& sink, Hdf5Facts facts) const = 0;
  // Null, and why.
  [[nodiscard]] virtual std::unique_ptr<Hdf5Table> table(const std::string& path, std::string& error) const = 0;
};

inline constexpr const char* kHdf5File = "libmbc-hdf5.so";
inline constexpr const char* kHdf5Symbol = "mbc_hdf5_library";
// Raised whenever this file, or what it includes, changes.
inline constexpr std::uint32_t kHdf5Version = 2;
using Hdf5Factory = const Hdf5Library* (*)(std::uint32_t version);

// From `file`, "" where it was not found; opened once. Null, and why.
[[nodiscard]] const Hdf5Library* load_hdf5(const std::string& file, std::string& error);

}  // namespace mbc::output
