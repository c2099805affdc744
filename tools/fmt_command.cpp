#include "tools/commands.h"
namespace mbc::tools {
int format_models(const Options&) { return kOk; }
}  // namespace mbc::tools
