// SPDX-License-Identifier: Apache-2.0
// Line editing with libedit: history, Tab, UTF-8, and Ctrl-C, which clears the line.
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <string_view>

#include "base/text.h"
#include "tools/interrupt.h"
#include "tools/session/history.h"
#include "tools/session/line_reader.h"
#include "tools/terminal/preview.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMostShown = 60;  // completions listed at once

std::string common_prefix(const std::vector<std::string>& words) {
  std::string prefix = words.front();
  for (const std::string& word : words) {
    const auto differ = std::mismatch(prefix.begin(), prefix.end(), word.begin(), word.end());
    prefix.erase(differ.first, prefix.end());
  }
  return prefix;
}

class TerminalReader final : public LineReader {
 public:
  TerminalReader(Completer completer, std::string path) : completer_(std::move(completer)), path_(std::move(path)) {
    // Only the characters depend on the locale; numbers are the same in every locale. Without a locale, present
    // terminals use UTF-8.
    const char* chosen = std::setlocale(LC_CTYPE, "");
    if (chosen == nullptr || std::string_view(chosen) == "C" || std::string_view(chosen) == "POSIX")
      std::setlocale(LC_CTYPE, "C.UTF-8");
    editor_ = el_init("mbc", stdin, stdout, stderr);
    history_ = history_init();
    HistEvent event;
    history(history_, &event, H_SETSIZE, static_cast<int>(kMostEntries));
    history(history_, &event, H_SETUNIQUE, 1);
    for (const std::string& entry : read_history(path_)) history(history_, &event, H_ENTER, entry.c_str());
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_PROMPT, &TerminalReader::prompt);
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_SIGNAL, 1);
    el_set(editor_, EL_GETCFN, &TerminalReader::get_character);
    el_set(editor_, EL_ADDFN, "mbc-complete", "complete a name", &TerminalReader::complete);
    el_set(editor_, EL_BIND, "^I", "mbc-complete", nullptr);
    el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(editor_, nullptr);  // the user's ~/.editrc
  }
  ~TerminalReader() override {
    history_end(history_);
    el_end(editor_);
  }
  TerminalReader(const TerminalReader&) = delete;
  TerminalReader& operator=(const TerminalReader&) = delete;

  Result read(const std::string& prompt, std::string& line) override {
    prompt_ = prompt;
    int count = 0;
    // The terminal is prepared before the prompt: with libedit alone, a quick answer would arrive in the line mode of
    // the terminal.
    el_set(editor_, EL_PREP_TERM, 1);
    const char* text = el_gets(editor_, &count);
    if (interrupted()) {
      std::fputs("^C\n", stdout);
      std::fflush(stdout);
      return Result::interrupted;
    }
    if (text == nullptr || count <= 0) {
      std::fputs("\n", stdout);
      std::fflush(stdout);
      return Result::end;
    }
    line.assign(text, static_cast<std::size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    return Result::line;
  }

  void remember(const std::string& entry) override {
    HistEvent event;
    history(history_, &event, H_ENTER, entry.c_str());
    append_history(path_, entry);
  }

 private:
  static TerminalReader* self(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return static_cast<TerminalReader*>(data);
  }

  static char* prompt(EditLine* editor) { return self(editor)->prompt_.data(); }

  // libedit's own reader continues after a signal; this one stops when the interrupt flag is set. Returns 1, 0 at the
  // end, -1 on failure.
  static int get_character(EditLine* editor, wchar_t* out) {
    mbstate_t state{};
    for (;;) {
      if (interrupted()) return -1;
      char byte = 0;
      const ssize_t n = ::read(0, &byte, 1);
      if (n == 0) return 0;
      if (n < 0) {
        if (errno != EINTR) return -1;
        if (!interrupted()) el_set(editor, EL_REFRESH);  // back from Ctrl-Z, or the window has a new size
        continue;
      }
      const std::size_t used = mbrtowc(out, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;  // the character has more bytes
      if (used != static_cast<std::size_t>(-1)) return 1;
      state = mbstate_t{};  // not a character: dropped
    }
  }

  static unsigned char complete(EditLine* editor, int /*key*/) {
    const LineInfo* info = el_line(editor);
    const std::string before(info->buffer, info->cursor);
    const Completion found = self(editor)->completer_(before);
    const std::vector<std::string>& words = found.words;
    if (words.empty()) return CC_ERROR;
    const std::string rest = common_prefix(words).substr(before.size() - found.begin);
    if (!rest.empty()) return el_insertstr(editor, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    if (words.size() == 1) return CC_NORM;
    self(editor)->show(words);
    return CC_REDISPLAY;
  }

  // Prints the words; lines end between words.
  static void show(const std::vector<std::string>& words) {
    const std::size_t width = terminal_width(STDOUT_FILENO);
    std::string text = "\n";
    std::size_t used = 0;
    const auto put = [&](const std::string& word) {
      if (used > 0 && used + 2 + word.size() > width) {
        text += "\n";
        used = 0;
      }
      text += (used > 0 ? "  " : "") + word;
      used += (used > 0 ? 2 : 0) + word.size();
    };
    for (std::size_t i = 0; i < std::min(words.size(), kMostShown); ++i) put(words[i]);
    if (words.size() > kMostShown) put("... " + std::to_string(words.size() - kMostShown) + " more");
    std::fputs(escaped(text + "\n").c_str(), stdout);
    std::fflush(stdout);
  }

  Completer completer_;
  std::string path_;
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
  std::string prompt_;
};

}  // namespace

std::unique_ptr<LineReader> make_terminal_reader(Completer completer, const std::string& history) {
  return std::make_unique<TerminalReader>(std::move(completer), history);
}

}  // namespace mbc::tools
