// SPDX-License-Identifier: Apache-2.0
// The `mbc` program: options/ reads the command line, commands.h has the commands.
#include <malloc.h>

#include <exception>
#include <new>
#include <string>

#include "tools/commands.h"
#include "tools/options.h"
#include "tools/streams.h"

namespace {

int answer(int argc, char** argv) {
  using namespace mbc::tools;
  const CommandLine line = parse_command_line(argc, argv);
  if (line.options) return execute(*line.options);
  if (line.exit_code == kOk) return print_output(line.text);
  print_error(line.text);
  return line.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  // Blocks of a megabyte return to the system when they are freed, even after much larger blocks were freed.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mbc::tools::prepare_streams();
  try {
    return answer(argc, argv);
  } catch (const std::bad_alloc&) {
    mbc::tools::print_error("mbc: out of memory\n");
  } catch (const std::exception& e) {
    mbc::tools::print_error(
        std::string("mbc: internal error: ") + e.what() +
        "\nhint: this is a mistake in mbc, not in the model; please report it together with the model "
        "and the command\n");
  }
  return mbc::tools::kInternalError;
}
