// SPDX-License-Identifier: Apache-2.0
// The superblock, at the beginning of the file, states where the file ends and whether it is being written ("HDF5 File
// Format Specification Version 3.0", II.A). Readers refuse a file that is marked as being written, and one that is
// shorter than stated. Here the mark is never set and the stated end is always the present one: whenever the writer is
// killed, the file is as if it had been closed after the last flush.
#include "api/output/hdf5/driver.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

namespace mbc::output {
namespace {

constexpr std::size_t kSuperblock = 48, kFlags = 11, kEnd = 28, kChecksum = 44;
constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);

// lookup3 of Bob Jenkins, the format's check sum ("Hash Functions for Hash Table Lookup", burtleburtle.net/bob/hash).
std::uint32_t checksum(const unsigned char* bytes, std::size_t size) {
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(size), b = a, c = a;
  const auto add = [&bytes](std::size_t n) {  // up to twelve bytes to three words
    std::array<std::uint32_t, 3> words{};
    for (std::size_t k = 0; k < n; ++k) words[k / 4] += std::uint32_t{bytes[k]} << (8 * (k % 4));
    return words;
  };
  const auto stir = [](std::uint32_t& x, std::uint32_t z, int turn) {
    x -= z;
    x ^= std::rotl(z, turn);
  };
  for (; size > 12; size -= 12, bytes += 12) {
    const auto words = add(12);
    a += words[0], b += words[1], c += words[2];
    stir(a, c, 4), c += b;
    stir(b, a, 6), a += c;
    stir(c, b, 8), b += a;
    stir(a, c, 16), c += b;
    stir(b, a, 19), a += c;
    stir(c, b, 4), b += a;
  }
  if (size == 0) return c;
  const auto words = add(size);
  a += words[0], b += words[1], c += words[2];
  const auto finish = [](std::uint32_t& x, std::uint32_t y, int turn) { x = (x ^ y) - std::rotl(y, turn); };
  finish(c, b, 14), finish(a, c, 11), finish(b, a, 25), finish(c, b, 16);
  finish(a, c, 4), finish(b, a, 14), finish(c, b, 24);
  return c;
}

void put(unsigned char* at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; ++k) at[k] = static_cast<unsigned char>(value >> (8 * k));
}

struct File {
  H5FD_t head;  // HDF5's own part comes first
  FileSink* sink;
  haddr_t allocated, end;  // allocated: the size that HDF5 has allocated; end: the size of the file
  bool begun;
  std::array<unsigned char, kSuperblock> superblock;
};

File* of(H5FD_t* file) { return reinterpret_cast<File*>(file); }
const File* of(const H5FD_t* file) { return reinterpret_cast<const File*>(file); }

std::string_view view(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

void write_superblock(File& file) {
  if (!file.begun) return;
  file.superblock[kFlags] = 0;
  put(&file.superblock[kEnd], file.end, 8);
  put(&file.superblock[kChecksum], checksum(file.superblock.data(), kChecksum), 4);
  static_cast<void>(file.sink->write_at(0, view(file.superblock.data(), kSuperblock)));
}

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* sink = static_cast<FileSink* const*>(H5Pget_driver_info(access));
  if (sink == nullptr) return nullptr;
  return &(new File{{}, *sink, 0, 0, false, {}})->head;
}

herr_t close(H5FD_t* file) {
  delete of(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* can) {
  if (can != nullptr)
    *can = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return of(file)->allocated; }
herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t to) {
  of(file)->allocated = to;
  return 0;
}
haddr_t end(const H5FD_t* file, H5FD_mem_t) { return of(file)->end; }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, std::size_t size, void* data) {
  return of(file)->sink->read_at(place, static_cast<char*>(data), size) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, std::size_t size, const void* data) {
  File& f = *of(file);
  const bool is_superblock = place == 0 && size >= kSuperblock && view(data, kSignature.size()) == kSignature;
  if (is_superblock) {
    std::memcpy(f.superblock.data(), data, kSuperblock);
    f.begun = true;
    f.end = std::max<haddr_t>(f.end, kSuperblock);
    write_superblock(f);
    if (size == kSuperblock) return 0;
    place = kSuperblock;
    size -= kSuperblock;
    data = static_cast<const char*>(data) + kSuperblock;
  }
  if (!f.sink->write_at(place, view(data, size)) || place + size <= f.end) return 0;
  f.end = place + size;
  write_superblock(f);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  File& f = *of(file);
  if (f.end == f.allocated) return 0;
  const bool longer = f.allocated > f.end;
  if (longer && !f.sink->cut(f.allocated)) return 0;
  f.end = f.allocated;
  write_superblock(f);
  if (!longer) static_cast<void>(f.sink->cut(f.allocated));
  return 0;
}

hid_t driver() {
  static const hid_t known = [] {
    H5FD_class_t c{};
    c.name = "mbc";
    c.maxaddr = (haddr_t{1} << 62) - 1;
    c.fc_degree = H5F_CLOSE_STRONG;
    c.fapl_size = sizeof(FileSink*);
    c.open = open;
    c.close = close;
    c.query = query;
    c.get_eoa = allocated;
    c.set_eoa = allocate;
    c.get_eof = end;
    c.read = read;
    c.write = write;
    c.truncate = truncate;
    for (H5FD_mem_t& kind : c.fl_map) kind = H5FD_MEM_SUPER;  // one pool of free places
    return H5FDregister(&c);
  }();
  return known;
}

}  // namespace

hid_t access_by(FileSink& sink) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  FileSink* given = &sink;
  if (access >= 0 && H5Pset_driver(access, driver(), &given) >= 0) return access;
  if (access >= 0) H5Pclose(access);
  return -1;
}

}  // namespace mbc::output
