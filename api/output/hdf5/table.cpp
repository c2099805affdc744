// SPDX-License-Identifier: Apache-2.0
#include "api/output/hdf5/table.h"

#include <array>

#include "api/output/hdf5/handles.h"

namespace mbc::output {
namespace {

// Returns a list of texts; empty if there is none of that length.
std::vector<std::string> texts_in(hid_t dataset, const char* name, std::size_t count) {
  if (H5Aexists(dataset, name) <= 0) return {};
  const Handle attribute(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
  const Handle space(attribute.good() ? H5Aget_space(attribute) : -1, H5Sclose);
  const Handle type(attribute.good() ? H5Aget_type(attribute) : -1, H5Tclose);
  if (!space.good() || !type.good() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
      H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(count))
    return {};
  const std::size_t bytes = H5Tget_size(type);
  std::string all(bytes * count, '\0');
  const Handle wanted = text_of_length(bytes);
  if (H5Aread(attribute, wanted, all.data()) < 0) return {};
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < count; ++k) texts.emplace_back(all.substr(k * bytes, bytes).c_str());
  return texts;
}

class Table final : public Hdf5Table {
 public:
  bool open(const std::string& path) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!access.good() || H5Pset_file_locking(access, 0, 1) < 0) return false;
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    if (!file_.good() || H5Lexists(file_, "rows", H5P_DEFAULT) <= 0) return false;
    dataset_ = Handle(H5Dopen2(file_, "rows", H5P_DEFAULT), H5Dclose);
    const Handle space(dataset_.good() ? H5Dget_space(dataset_) : -1, H5Sclose);
    std::array<hsize_t, 2> size{};
    if (!space.good() || H5Sget_simple_extent_ndims(space) != 2 ||
        H5Sget_simple_extent_dims(space, size.data(), nullptr) != 2)
      return false;
    rows_ = size[0];
    const std::vector<std::string> names = texts_in(dataset_, "columns", size[1]),
                                   units = texts_in(dataset_, "units", size[1]),
                                   descriptions = texts_in(dataset_, "descriptions", size[1]);
    for (std::size_t k = 0; k < names.size(); ++k)
      columns_.push_back({names[k], units.empty() ? "" : units[k], descriptions.empty() ? "" : descriptions[k]});
    return !columns_.empty();
  }

  [[nodiscard]] const std::vector<Sidecar::Column>& columns() const override { return columns_; }
  [[nodiscard]] std::uint64_t rows() const override { return rows_; }
  [[nodiscard]] bool read(std::uint64_t first, std::uint64_t count, double* values) const override {
    const hsize_t from[] = {first, 0}, size[] = {count, columns_.size()};
    const Handle there(H5Dget_space(dataset_), H5Sclose), here(H5Screate_simple(2, size, nullptr), H5Sclose);
    return there.good() && H5Sselect_hyperslab(there, H5S_SELECT_SET, from, nullptr, size, nullptr) >= 0 &&
           H5Dread(dataset_, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, values) >= 0;
  }

 private:
  Handle file_, dataset_;
  std::uint64_t rows_ = 0;
  std::vector<Sidecar::Column> columns_;
};

}  // namespace

std::unique_ptr<Hdf5Table> open_table(const std::string& path, std::string& error) {
  auto table = std::make_unique<Table>();
  if (table->open(path)) return table;
  error = "`" + path + "` is no HDF5 file with rows as `mbc run -o` writes them";
  return nullptr;
}

}  // namespace mbc::output
