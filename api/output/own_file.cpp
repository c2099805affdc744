// SPDX-License-Identifier: Apache-2.0
#include "api/output/own_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string_view>

#include "api/output/file_sink.h"
#include "api/output/partial_file.h"
#include "api/output/sidecar.h"
#include "base/read_file.h"

namespace mbc::output {
namespace {

constexpr std::size_t kHeadOfResult = 64 * 1024, kTailOfResult = 4096;

struct Ends {
  std::string head, tail;
  std::uint64_t size = 0;
};

Ends ends_of(const std::string& path) {
  Ends out;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return out;
  out.size = static_cast<std::uint64_t>(file.tellg());
  const auto read = [&](std::uint64_t from, std::uint64_t size, std::string& into) {
    into.resize(size);
    file.seekg(static_cast<std::streamoff>(from));
    file.read(into.data(), static_cast<std::streamsize>(size));
    into.resize(static_cast<std::size_t>(file.gcount()));
  };
  read(0, std::min<std::uint64_t>(out.size, kHeadOfResult), out.head);
  read(out.size - std::min<std::uint64_t>(out.size, kTailOfResult), std::min<std::uint64_t>(out.size, kTailOfResult),
       out.tail);
  return out;
}

// The beginning of a result, and a text further on in its first bytes.
struct Form {
  std::string_view begins, holds;
};
constexpr Form kForms[] = {
    {"{\n  \"status\": ", "\"chosen_for_user\""},                         // a summary
    {"{\n  \"format\": \"mbc-csv-sidecar\"", ""},                         // a description
    {"time,event\n", ""},                                                 // a list of events
    {"[\n{\"time\": ", "\"event\": "},                                    // the same as JSON
    {"[\n]\n", ""},                                                       // of a run without any
    {"{\"member\":", "\"status\":"},                                      // members of a sweep as JSON
    {"formulation,bodies,applied,status,equations,unknowns,states", ""},  // a comparison
    {"column,unit,largest,at,rms,relative\n", ""},                        // of two results
    {"<!-- SPDX-License-Identifier: Apache-2.0 -->\n<!doctype html>", "<meta name=\"generator\" content=\"mbc\">"},
    {"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
     "font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n<style>.r{stroke:#"},
    {"\x89HDF\r\n\x1a\n", "mbc_version"},
    {"/* Written by mbc ", ""},  // a header
    {"% a picture by mbc, ", "\\begin{tikzpicture}"},
    {"# a picture by mbc: gnuplot", "\n$plot1"},  // its data may be long
    {"kernel ", "\n  sizes state "},              // stages of the compiler
    {"system: ", " templates\n"},
    {"model space ", "\n"},
};

constexpr std::string_view kPdfMark = "\n% mbc\n", kProgramMark = "mbc executable ";
constexpr std::string_view kPngMark("Software\0mbc", 12);
constexpr std::string_view kGifMark("\x21\xfe\x03mbc\0\x3b", 8);  // a comment, and the trailer
constexpr std::string_view kMp4Mark(
    "\0\0\0\x0b"
    "freembc",
    11);  // a box that players skip
constexpr std::string_view kFmuMark = "resources/model.mbd";

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool has_form(const Ends& ends) {
  return std::any_of(std::begin(kForms), std::end(kForms), [&](const Form& f) {
    return std::string_view(ends.head).starts_with(f.begins) && holds(ends.head, f.holds);
  });
}

// Returns whether the file is an ELF executable, not an object or a shared library.
bool is_program(const Ends& ends) {
  constexpr std::size_t kEntry = 24, kSize = 8;
  const std::string_view head = ends.head;
  return head.starts_with(
             "\x7f"
             "ELF") &&
         head.size() > kEntry + kSize && head.substr(kEntry, kSize) != std::string_view("\0\0\0\0\0\0\0\0", kSize);
}

// Returns whether a file has the functions of a model, found by the ends of their names in any form of code.
bool holds_functions(const std::string& path) {
  std::string bytes, error;
  if (!read_file(path, bytes, error, std::numeric_limits<std::size_t>::max())) return false;
  const auto there = [&](std::string_view name) { return holds(bytes, name); };
  constexpr std::array<std::string_view, 3> kNames = {"_constraint_power", "_correct_position", "_correct_velocity"};
  return std::all_of(kNames.begin(), kNames.end(), there);
}

bool is_code(const Ends& ends) {
  for (const std::string_view magic : {"\x7f"
                                       "ELF",
                                       "!<arch>\n", "BC\xC0\xDE", "; ModuleID", "\t.text\n"})
    if (std::string_view(ends.head).starts_with(magic) ||
        std::string_view(ends.head).starts_with("\n" + std::string(magic)))
      return true;
  return false;
}

bool holds_nothing(const std::string& path) {
  struct stat s {};
  return is_stream(path) || stat(path.c_str(), &s) != 0 || (S_ISREG(s.st_mode) && s.st_size == 0);
}

bool is_marked(const Ends& ends) {
  const std::string_view head = ends.head, tail = ends.tail;
  return (head.starts_with("%PDF-") && tail.ends_with(kPdfMark)) ||
         (head.starts_with("\x89PNG") && holds(tail, kPngMark)) ||
         (head.starts_with("\x7f"
                           "ELF") &&
          holds(tail, kProgramMark)) ||
         (head.starts_with("GIF8") && tail.ends_with(kGifMark)) ||
         (head.substr(std::min<std::size_t>(4, head.size())).starts_with("ftyp") && tail.ends_with(kMp4Mark)) ||
         (head.starts_with("PK") && holds(tail, kFmuMark));
}

// Computes the CRC-32 of PNG (ISO 3309).
std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

std::string big_endian(std::uint32_t value) {
  std::string out(4, '\0');
  for (int k = 3; k >= 0; --k, value >>= 8) out[static_cast<std::size_t>(k)] = static_cast<char>(value & 0xFFu);
  return out;
}

}  // namespace

bool may_be_replaced(const std::string& path) {
  if (holds_nothing(path)) return true;
  if (read_description(follow_links(path) + ".json")) return true;
  const Ends ends = ends_of(path);
  return has_form(ends) || is_marked(ends) || (is_code(ends) && !is_program(ends) && holds_functions(path));
}

bool may_be_taken_over(const std::string& path) {
  if (holds_nothing(path)) return true;
  const std::string head = ends_of(path).head;
  constexpr std::string_view kBegins[] = {"time,", "member,", "[", "{\"member\":", "\x89HDF\r\n\x1a\n"};
  return read_description(path + ".json") || std::any_of(std::begin(kBegins), std::end(kBegins), [&](auto begin) {
           return std::string_view(head).starts_with(begin);
         });
}

void mark_picture(std::string& bytes) {
  constexpr std::size_t kEndOfPng = 12;  // the chunk IEND
  if (bytes.starts_with("%PDF-")) {
    bytes += kPdfMark;
  } else if (bytes.starts_with("\x89PNG") && bytes.size() > kEndOfPng) {
    const std::string text("tEXtSoftware\0mbc", 16);
    bytes.insert(bytes.size() - kEndOfPng, big_endian(12) + text + big_endian(crc_of(text)));
  } else if (bytes.starts_with("GIF8") && bytes.ends_with('\x3b')) {
    bytes.replace(bytes.size() - 1, 1, kGifMark);
  } else if (bytes.size() > 8 && bytes.compare(4, 4, "ftyp") == 0) {
    bytes += kMp4Mark;
  }
}

}  // namespace mbc::output
