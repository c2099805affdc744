// SPDX-License-Identifier: Apache-2.0
// A column is a run of neighbouring lines, each with a piece of one kind that began in the same cell, at least one of
// them with more blanks before it than it needs. Columns are handled from left to right. Each is moved to the unpadded
// place of its furthest piece. The result is stable: the furthest piece of every column is where it falls without
// padding, so that the next run puts the pieces in the same cells.
#include "compiler/format/align.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mbc::format {

namespace {

constexpr std::size_t kMaxPieces = 200;  // of a line that is considered; nobody lines up more

struct Member {
  std::size_t line = 0, piece = 0;
};

class Alignment {
 public:
  explicit Alignment(std::vector<Line>& lines) : lines_(lines) {}

  void run() {
    find_members();
    for (const auto& [key, members] : columns_) runs_of(members, std::get<1>(key));
  }

 private:
  void find_members() {
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      const Line& line = lines_[n];
      const bool has_comment = line.pieces.size() > 1 && line.pieces.back().comment;
      walls_.push_back((n > 0 ? walls_.back() : 0) + (line.after_blank_line ? 1 : 0));
      comments_.push_back((n > 0 ? comments_.back() : 0) + (has_comment ? 1 : 0));
      if (line.joined || line.pieces.size() > kMaxPieces) continue;
      for (std::size_t k = 1; k < line.pieces.size(); ++k)
        if (const Piece& p = line.pieces[k]; p.gap > 0 && p.blanks > 0)
          columns_[{p.column, p.comment, p.kind}].push_back({n, k});
    }
  }

  // Two lines are neighbours if no empty or other line is between them. Two trailing comments are neighbours if no
  // other one is between them.
  [[nodiscard]] bool neighbours(const Member& a, const Member& b, bool comments) const {
    if (walls_[a.line] != walls_[b.line]) return false;
    return comments ? comments_[b.line] == comments_[a.line] + 1 : b.line == a.line + 1;
  }

  void runs_of(const std::vector<Member>& members, bool comments) {
    for (std::size_t begin = 0; begin < members.size();) {
      std::size_t end = begin + 1;
      while (end < members.size() && neighbours(members[end - 1], members[end], comments)) ++end;
      if (end - begin > 1) move(members, begin, end);
      begin = end;
    }
  }

  void move(const std::vector<Member>& members, std::size_t begin, std::size_t end) {
    unsigned target = 0;
    bool padded = false;
    for (std::size_t k = begin; k < end; ++k) {
      const Piece& p = lines_[members[k].line].pieces[members[k].piece];
      target = std::max(target, position(members[k]));
      padded |= p.blanks > p.gap;
    }
    if (!padded) return;
    for (std::size_t k = begin; k < end; ++k)
      lines_[members[k].line].pieces[members[k].piece].gap += target - position(members[k]);
  }

  // Returns the cell in which a piece begins at present.
  [[nodiscard]] unsigned position(const Member& m) const {
    const Line& line = lines_[m.line];
    unsigned at = line.indent;
    for (std::size_t k = 0; k <= m.piece; ++k)
      at += line.pieces[k].gap + (k < m.piece ? width_of(line.pieces[k].text) : 0);
    return at;
  }

  std::vector<Line>& lines_;
  // (column, of comments, kind), from left to right
  std::map<std::tuple<unsigned, bool, syntax::TokenClass>, std::vector<Member>> columns_;
  std::vector<std::size_t> walls_, comments_;  // per line: empty lines and lines with a comment behind code up to here
};

}  // namespace

void align(std::vector<Line>& lines) { Alignment(lines).run(); }

}  // namespace mbc::format
