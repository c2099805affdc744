// SPDX-License-Identifier: Apache-2.0
// Rows as HDF5: the interface of libmbc-hdf5.so, which is opened on demand, so that nothing else links to libhdf5.
//
// A file has one dataset, `/rows`, with a line for each row and a column for each quantity, the time first. Its
// attributes `columns`, `units` and `descriptions` describe the columns; the attributes of the file have what is known
// before the run begins. They are written before the first row. From then on the file is complete at every moment: data
// is written before its references, so that any reader of HDF5 opens the file of a killed run, and a file can be read
// while it is being written.
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
  std::vector<std::pair<std::string, Value>> attributes;  // attributes of the file
  std::function<Sidecar::Column(std::size_t)> column;
};

// A file opened for reading.
class Hdf5Table {
 public:
  virtual ~Hdf5Table() = default;
  [[nodiscard]] virtual const std::vector<Sidecar::Column>& columns() const = 0;
  [[nodiscard]] virtual std::uint64_t rows() const = 0;
  // Reads whole rows, one after the other.
  [[nodiscard]] virtual bool read(std::uint64_t first, std::uint64_t count, double* values) const = 0;
};

class Hdf5Library {
 public:
  virtual ~Hdf5Library() = default;
  // `sink` has an empty plain file, which it may read, and outlives the writer.
  [[nodiscard]] virtual std::unique_ptr<RowWriter> writer(FileSink& sink, Hdf5Facts facts) const = 0;
  // Returns null on failure, with the reason in `error`.
  [[nodiscard]] virtual std::unique_ptr<Hdf5Table> table(const std::string& path, std::string& error) const = 0;
};

inline constexpr const char* kHdf5File = "libmbc-hdf5.so";
inline constexpr const char* kHdf5Symbol = "mbc_hdf5_library";
// Increased with every change of this file or of its includes.
inline constexpr std::uint32_t kHdf5Version = 2;
using Hdf5Factory = const Hdf5Library* (*)(std::uint32_t version);

// Loads the library from `file`, "" if it was not found; it is opened once. Returns null on failure, with the reason in
// `error`.
[[nodiscard]] const Hdf5Library* load_hdf5(const std::string& file, std::string& error);

}  // namespace mbc::output
