// SPDX-License-Identifier: Apache-2.0
#include "api/output/hdf5_library.h"

#include <dlfcn.h>

namespace mbc::output {

const Hdf5Library* load_hdf5(const std::string& file, std::string& error) {
  if (file.empty()) {
    error = std::string(kHdf5File) +
            ", which reads and writes HDF5, was not found beside mbc, in ../lib from there, or in $MBC_LIBRARY_PATH";
    return nullptr;
  }
  void* opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    error = dlerror();
    return nullptr;
  }
  const auto factory = reinterpret_cast<Hdf5Factory>(dlsym(opened, kHdf5Symbol));
  const Hdf5Library* library = factory != nullptr ? factory(kHdf5Version) : nullptr;
  if (library == nullptr) error = "`" + file + "` is of another version";
  return library;
}

}  // namespace mbc::output
