// SPDX-License-Identifier: Apache-2.0
// The one symbol of libmbc-hdf5.so.
#include "api/output/hdf5/table.h"
#include "api/output/hdf5/writer.h"

namespace mbc::output {
namespace {

class Library final : public Hdf5Library {
 public:
  [[nodiscard]] std::unique_ptr<RowWriter> writer(FileSink& sink, Hdf5Facts facts) const override {
    return hdf5_writer(sink, std::move(facts));
  }
  [[nodiscard]] std::unique_ptr<Hdf5Table> table(const std::string& path, std::string& error) const override {
    return open_table(path, error);
  }
};

}  // namespace
}  // namespace mbc::output

extern "C" __attribute__((visibility("default"))) const mbc::output::Hdf5Library* mbc_hdf5_library(
    std::uint32_t version) {
  if (version != mbc::output::kHdf5Version) return nullptr;
  // The caller reports failures in its own words, so HDF5 prints none; it does no work at the end of the process.
  static const bool ready = H5dont_atexit() >= 0 && H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  static const mbc::output::Library library;
  return ready ? &library : nullptr;
}
