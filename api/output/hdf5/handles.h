// SPDX-License-Identifier: Apache-2.0
// Objects of HDF5 that are closed at the end of their scope; texts of a fixed length.
#pragma once
#include <hdf5.h>

#include <utility>

namespace mbc::output {

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close how) : id_(id), close_(how) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { static_cast<void>(close()); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }
  [[nodiscard]] bool good() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): it stands for one

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Returns the type of a UTF-8 text of fixed length, padded with zeros.
inline Handle text_of_length(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  const bool good = type.good() && H5Tset_size(type, bytes > 0 ? bytes : 1) >= 0 &&
                    H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  return good ? std::move(type) : Handle();
}

}  // namespace mbc::output
