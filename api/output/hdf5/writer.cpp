// SPDX-License-Identifier: Apache-2.0
#include "api/output/hdf5/writer.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "api/output/hdf5/driver.h"
#include "api/output/hdf5/handles.h"

namespace mbc::output {
namespace {

constexpr std::size_t kChunkBytes = 128 * 1024, kMostChunks = 8;  // between flushes
constexpr std::chrono::seconds kFlushInterval{1};

bool write_attribute(hid_t object, const std::string& name, hid_t type, const std::vector<hsize_t>& sizes,
                     const void* values) {
  const Handle space(
      sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
      H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.good() && H5Awrite(attribute, type, values) >= 0;
}

bool write_texts(hid_t object, const std::string& name, const std::vector<std::string>& texts, bool list) {
  if (texts.empty()) return true;
  std::size_t longest = 1;
  for (const std::string& t : texts) longest = std::max(longest, t.size());
  const Handle type = text_of_length(longest);
  std::string all(longest * texts.size(), '\0');
  for (std::size_t k = 0; k < texts.size(); ++k)
    std::copy(texts[k].begin(), texts[k].end(), all.begin() + static_cast<std::ptrdiff_t>(k * longest));
  return write_attribute(object, name, type, list ? std::vector<hsize_t>{texts.size()} : std::vector<hsize_t>{},
                         all.data());
}

bool write_value(hid_t object, const std::string& name, const Hdf5Facts::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return write_texts(object, name, {*text}, false);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return write_texts(object, name, *texts, true);
  if (const auto* number = std::get_if<double>(&value))
    return write_attribute(object, name, H5T_NATIVE_DOUBLE, {}, number);
  const auto& numbers = std::get<std::vector<double>>(value);
  return numbers.empty() || write_attribute(object, name, H5T_NATIVE_DOUBLE, {numbers.size()}, numbers.data());
}

class Hdf5Writer final : public RowWriter {
 public:
  Hdf5Writer(FileSink& sink, Hdf5Facts facts) : sink_(sink), facts_(std::move(facts)) {}

  [[nodiscard]] bool header(std::size_t columns, const NameOf& name_of) override {
    columns_ = columns;
    if (!good(create() && describe(name_of) && H5Fstart_swmr_write(file_) >= 0)) return false;
    gathered_.reserve(chunk_ * columns_);
    return flush();
  }

  [[nodiscard]] bool row(double first, std::span<const double> others) override {
    if (!sink_.error().empty()) return false;
    gathered_.push_back(first);
    gathered_.insert(gathered_.end(), others.begin(), others.end());
    const std::uint64_t waiting = gathered_.size() / columns_;
    if (written_ % chunk_ + waiting == chunk_ && !write_rows()) return false;
    const bool soon = std::chrono::steady_clock::now() - flushed_ < kFlushInterval;
    return (soon && written_ - arrived_ < kMostChunks * chunk_) || flush();
  }

  [[nodiscard]] bool finish() override {
    const bool written = sink_.error().empty() && flush();
    const bool closed = dataset_.close() && file_.close();
    return good(closed) && written;
  }

  [[nodiscard]] const std::string& error() const override { return sink_.error(); }

 private:
  bool create() {
    const Handle access(access_by(sink_), H5Pclose);
    // A file that is read while it is being written needs this format.
    if (!access.good() || H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0) return false;
    // Attributes of any size and number are stored outside of the header.
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    if (!creation.good() || H5Pset_attr_phase_change(creation, 0, 0) < 0) return false;
    file_ = Handle(H5Fcreate("rows", H5F_ACC_TRUNC, creation, access), H5Fclose);
    if (!file_.good()) return false;
    chunk_ = std::max<std::size_t>(1, kChunkBytes / (sizeof(double) * columns_));
    const hsize_t none[] = {0, columns_}, most[] = {H5S_UNLIMITED, columns_}, chunk[] = {chunk_, columns_};
    const Handle space(H5Screate_simple(2, none, most), H5Sclose);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if (!how.good() || H5Pset_chunk(how, 2, chunk) < 0 || H5Pset_attr_phase_change(how, 0, 0) < 0) return false;
    dataset_ = Handle(H5Dcreate2(file_, "rows", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose);
    return dataset_.good();
  }

  bool describe(const NameOf& name_of) {
    std::vector<std::string> names, units, descriptions;
    for (std::size_t k = 0; k < columns_; ++k) {
      names.push_back(name_of(k));
      Sidecar::Column column = facts_.column ? facts_.column(k) : Sidecar::Column{};
      units.push_back(std::move(column.unit));
      descriptions.push_back(std::move(column.description));
    }
    for (const auto& [name, value] : facts_.attributes)
      if (!write_value(file_, name, value)) return false;
    return write_texts(dataset_, "columns", names, true) && write_texts(dataset_, "units", units, true) &&
           write_texts(dataset_, "descriptions", descriptions, true);
  }

  bool write_rows() {
    const hsize_t count[] = {gathered_.size() / columns_, columns_}, from[] = {written_, 0},
                  size[] = {written_ + count[0], columns_};
    if (count[0] == 0) return good(true);
    bool done = H5Dset_extent(dataset_, size) >= 0;
    const Handle there(done ? H5Dget_space(dataset_) : -1, H5Sclose),
        here(H5Screate_simple(2, count, nullptr), H5Sclose);
    done = there.good() && H5Sselect_hyperslab(there, H5S_SELECT_SET, from, nullptr, count, nullptr) >= 0 &&
           H5Dwrite(dataset_, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, gathered_.data()) >= 0;
    gathered_.clear();
    written_ = size[0];
    return good(done);
  }

  bool flush() {
    flushed_ = std::chrono::steady_clock::now();
    if (!write_rows() || !good(H5Fflush(file_, H5F_SCOPE_LOCAL) >= 0)) return false;
    arrived_ = written_;
    sink_.arrived(written_ + 1, written_ * columns_ * sizeof(double));  // as a header and rows of CSV are counted
    return true;
  }

  // Returns whether neither HDF5 nor the sink has a failure.
  bool good(bool done) {
    if (!done) sink_.refuse("the HDF5 library failed");
    return sink_.error().empty();
  }

  FileSink& sink_;
  Hdf5Facts facts_;
  Handle file_, dataset_;
  std::size_t columns_ = 0, chunk_ = 1;  // chunk_: rows of a chunk
  std::vector<double> gathered_;
  std::uint64_t written_ = 0, arrived_ = 0;  // rows in the dataset, in the file
  std::chrono::steady_clock::time_point flushed_{};
};

}  // namespace

std::unique_ptr<RowWriter> hdf5_writer(FileSink& sink, Hdf5Facts facts) {
  return std::make_unique<Hdf5Writer>(sink, std::move(facts));
}

}  // namespace mbc::output
