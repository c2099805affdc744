// SPDX-License-Identifier: Apache-2.0
// The one symbol of libmbc-zip.so.
#include "tools/fmu/zip_library.h"

#include <zip.h>

namespace mbc::tools {
namespace {

// An archive in memory.
class Archive {
 public:
  Archive() {
    zip_error_init(&why_);
    source_ = zip_source_buffer_create(nullptr, 0, 0, &why_);
    if (source_ == nullptr) return;
    zip_source_keep(source_);
    zip_ = zip_open_from_source(source_, ZIP_TRUNCATE, &why_);
  }
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
    if (source_ != nullptr) zip_source_free(source_);
    zip_error_fini(&why_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool add(const std::string& place, const std::string& bytes) {
    if (zip_ == nullptr) return false;
    zip_source_t* text = zip_source_buffer(zip_, bytes.data(), bytes.size(), 0);
    if (text == nullptr) return false;
    const zip_int64_t at = zip_file_add(zip_, place.c_str(), text, ZIP_FL_ENC_UTF_8);
    if (at < 0) {
      zip_source_free(text);
      return false;
    }
    constexpr zip_uint16_t kFirstDay = (1 << 5) | 1;  // 1980-01-01, as DOS wrote it
    return zip_file_set_dostime(zip_, static_cast<zip_uint64_t>(at), 0, kFirstDay, 0) == 0;
  }

  bool close(std::string& bytes) {
    if (zip_ == nullptr || zip_close(zip_) != 0) return false;
    zip_ = nullptr;
    if (zip_source_open(source_) != 0) return false;
    zip_source_seek(source_, 0, SEEK_END);
    bytes.resize(static_cast<std::size_t>(zip_source_tell(source_)));
    zip_source_seek(source_, 0, SEEK_SET);
    const zip_int64_t read = zip_source_read(source_, bytes.data(), bytes.size());
    zip_source_close(source_);
    return read == static_cast<zip_int64_t>(bytes.size());
  }

  [[nodiscard]] std::string why() { return zip_error_strerror(zip_ != nullptr ? zip_get_error(zip_) : &why_); }

 private:
  zip_error_t why_{};
  zip_source_t* source_ = nullptr;
  zip_t* zip_ = nullptr;
};

std::string archive_of(const ArchivedFiles& files, std::string& error) {
  Archive archive;
  std::string bytes;
  bool added = true;
  for (const auto& [place, text] : files) added = added && archive.add(place, text);
  if (added && archive.close(bytes)) return bytes;
  error = "the archive cannot be made: " + archive.why();
  return "";
}

}  // namespace
}  // namespace mbc::tools

// The caller reads the name from kZipSymbol.
extern "C" __attribute__((visibility("default"))) std::string mbc_zip_archive_1(const mbc::tools::ArchivedFiles& files,
                                                                                std::string& error) {
  return mbc::tools::archive_of(files, error);
}
