// SPDX-License-Identifier: Apache-2.0
// `mbc fmt`: the layout of models, in place.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/read_file.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

class FormatCommand {
 public:
  explicit FormatCommand(const Options& options) : options_(options) {}

  int run() {
    for (const std::string& file : options_.files) model(file);
    if (options_.print_json && written_ == kOk) written_ = print_json({{"files", files_}});
    if (written_ != kOk) return written_;
    return refused_ || changes_ ? kModelError : kOk;
  }

 private:
  void model(const std::string& file) {
    const bool piped = file == "-";
    std::string error;
    files_.push_back({{"file", shown_name(file)}});
    const std::optional<std::string> text = piped ? read_standard_input(error) : read(file, error);
    if (!text) return refuse("mbc: " + error + "\n");
    const Result<FormattedText> formatted = format_text(*text, shown_name(file), options_.colour);
    if (!formatted) return refuse(formatted.error().message + "\n");
    const std::string& made = formatted->text;
    files_.back()["changes"] = made != *text;
    if (piped && !options_.only_check) files_.back()["text"] = made;
    if (options_.only_check) {
      changes_ |= made != *text;
      if (made != *text) say(shown_name(file) + "\n");
    } else if (piped) {
      show(made);
    } else if (made != *text) {
      rewrite(file, made);
    }
  }

  static std::optional<std::string> read(const std::string& file, std::string& error) {
    std::string text;
    if (read_file(file, text, error)) return text;
    error = "cannot read `" + file + "`: " + error;
    return std::nullopt;
  }

  // A read-only file stays as it is, although its folder would allow to replace it.
  void rewrite(const std::string& file, const std::string& text) {
    std::string error = why_not_writable(file);
    if (error.empty() && write_text(file, text, error)) return;
    print_error("mbc: " + error + "\n");
    written_ = kOutputFailed;
  }

  void refuse(const std::string& why) {
    refused_ = true;
    files_.back()["error"] = why;
    print_error(why, options_.colour ? Shows::colours : Shows::text);
  }

  // A program gets the text as it is; a terminal would execute control characters in its comments.
  void show(const std::string& text) {
    if (written_ != kOk || options_.print_json) return;
    written_ = isatty(1) == 1 ? print_output(text) : print_data(text);
  }

  void say(const std::string& text) {
    if (written_ == kOk && !options_.print_json) written_ = print_output(text);
  }

  const Options& options_;
  bool refused_ = false;  // a file could not be read or has syntax errors
  bool changes_ = false;  // --check: a file would change
  int written_ = kOk;
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();  // --json
};

}  // namespace

int format_models(const Options& options) { return FormatCommand(options).run(); }

}  // namespace mbc::tools
