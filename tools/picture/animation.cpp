// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/animation.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "base/read_file.h"
#include "tools/picture/converted.h"

namespace mbc::tools {
namespace {

std::vector<std::string> arguments_of(const std::string& format, const std::string& pictures, const std::string& to) {
  std::vector<std::string> out{"ffmpeg", "-nostdin", "-loglevel", "error", "-framerate", std::to_string(kFilmRate),
                               "-i",     pictures};
  const auto add = [&out](std::initializer_list<const char*> more) { out.insert(out.end(), more.begin(), more.end()); };
  if (format == "gif")  // with a palette of its own
    add({"-filter_complex", "[0]split[a][b];[a]palettegen[p];[b][p]paletteuse", "-loop", "0"});
  else if (format == "apng")
    add({"-plays", "0", "-f", "apng"});
  else  // players want an even number of pixels, and colours in this form
    add({"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"});
  out.push_back(to);
  return out;
}

// Makes the pictures in `folder`, and the film of them.
bool made_in(const std::string& folder, const Recording& recording, const Stroboscope& how, const std::string& format,
             std::string& film, std::string& error) {
  std::size_t count = 0;
  int status = 0;
  const std::string svg = folder + "/picture.svg", to = folder + "/film." + format;
  stroboscopic_frames(recording, how, [&](const std::string& picture) {
    std::ofstream(svg, std::ios::binary) << picture;
    const std::string png = folder + fmt::format("/{:06}.png", count++);
    status = run_program({"rsvg-convert", "--format", "png", "--output", png, svg});
    return status == 0;
  });
  if (status != 0) {
    error = status == kNotInstalled
                ? "the pictures of a film are made by rsvg-convert, which is not installed (Debian: librsvg2-bin)"
                : "rsvg-convert could not make the pictures of the film";
    return false;
  }
  status = run_program(arguments_of(format, folder + "/%06d.png", to));
  if (status == 0 && read_file(to, film, error, std::numeric_limits<std::size_t>::max())) return true;
  if (status == kNotInstalled)
    error = "GIF, APNG and MP4 are made by ffmpeg, which is not installed (Debian: ffmpeg)";
  else if (error.empty())
    error = "ffmpeg could not make the film";
  return false;
}

}  // namespace

bool animated(const Recording& recording, const Stroboscope& how, const std::string& format, std::string& film,
              std::string& error) {
  std::error_code none;
  std::string folder = (std::filesystem::temp_directory_path(none) / "mbc-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    error = "cannot make a folder among the temporary files";
    return false;
  }
  const bool made = made_in(folder, recording, how, format, film, error);
  std::filesystem::remove_all(folder, none);
  return made;
}

}  // namespace mbc::tools
