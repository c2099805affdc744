// SPDX-License-Identifier: Apache-2.0
#include "api/output/hdf5_library.h"

#include "base/opened_library.h"

namespace mbc::output {

const Hdf5Library* load_hdf5(const std::string& file, std::string& error) {
  if (file.empty()) {
    error = std::string(kHdf5File) +
            ", which reads and writes HDF5, was not found beside mbc, in ../lib from there, or in $MBC_LIBRARY_PATH";
    return nullptr;
  }
  const auto factory = reinterpret_cast<Hdf5Factory>(symbol_of_library(file, kHdf5Symbol, error));
  if (factory == nullptr) return nullptr;
  const Hdf5Library* library = factory(kHdf5Version);
  if (library == nullptr) error = is_of_another_version(file);
  return library;
}

}  // namespace mbc::output
