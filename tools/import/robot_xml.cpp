// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_xml.h"

#include <set>

namespace mbc::tools {
namespace {

bool deeper_than(Node node, int levels) {
  const Node top = node;
  int depth = 0;
  for (Node at = node; at;) {  // walks without recursion
    if (at.first_child()) {
      at = at.first_child();
      if (++depth > levels) return true;
      continue;
    }
    while (at != top && !at.next_sibling()) at = at.parent(), --depth;
    if (at == top) return false;
    at = at.next_sibling();
  }
  return false;
}

}  // namespace

// Nodes are mostly asked for in order.
std::uint32_t RobotXml::Document::line_at(std::size_t offset) {
  offset = std::min(offset, text.size());
  const auto lines = [&](std::size_t from) {
    return static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(from),
                                                 text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  };
  if (offset < counted_to) return 1 + lines(0);
  line += lines(counted_to);
  counted_to = offset;
  return line;
}

Node RobotXml::parse(std::string text, const std::string& file, int levels) {
  documents_.push_back(std::make_unique<Document>());
  Document& d = *documents_.back();
  d.file = file;
  d.text = std::move(text);
  const pugi::xml_parse_result parsed =
      d.xml.load_buffer(d.text.data(), d.text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0));
    fail({d.line_at(offset), file}, std::string("this is no XML: ") + parsed.description());
    return {};
  }
  for (const Node top : d.xml.children())
    if (deeper_than(top, levels)) return fail(top, "elements are nested too deeply for a robot"), Node();
  return d.xml.document_element();
}

FilePlace RobotXml::place_of(Node node) {
  if (!node) return {};
  if (const auto known = copied_.find(node.hash_value()); known != copied_.end()) return known->second;
  const Node root = node.root();
  for (const std::unique_ptr<Document>& d : documents_)
    if (root == d->xml) {
      const std::ptrdiff_t offset = node.offset_debug();
      return {offset < 0 ? 0 : d->line_at(static_cast<std::size_t>(offset)), d->file};
    }
  return {};
}

// A copy may stand where an element was that is gone. The place of its source is kept as well, for further copies.
void RobotXml::copied(Node made, Node from) {
  const FilePlace place = place_of(from);
  copied_[from.hash_value()] = copied_[made.hash_value()] = place;
}

void RobotXml::fail(const FilePlace& place, const std::string& text) {
  if (!failed_) problem_ = {place, text};
  failed_ = true;
}

void RobotXml::rest(Node node, std::initializer_list<const char*> elements, std::initializer_list<const char*> more,
                    std::initializer_list<const char*> attributes) {
  const auto has = [](std::initializer_list<const char*> list, const char* name) {
    return std::any_of(list.begin(), list.end(), [name](const char* known) { return std::strcmp(known, name) == 0; });
  };
  std::set<std::string> seen;
  for (const pugi::xml_attribute a : node.attributes()) {
    if (!seen.insert(a.name()).second)
      fail(node, std::string("<") + node.name() + "> has `" + printable(a.name()) + "` twice");
    if (!has(attributes, a.name()) && std::strncmp(a.name(), "xmlns", 5) != 0)
      leave_out(node, std::string("the attribute `") + printable(a.name()) + "` of <" + node.name() + ">");
  }
  for (const Node child : node.children())
    if (child.type() == pugi::node_element && !has(elements, child.name()) && !has(more, child.name()))
      leave_out(child, std::string("<") + printable(child.name()) + "> in <" + node.name() + ">");
}

void RobotXml::once(Node node, std::initializer_list<const char*> elements) {
  for (const char* name : elements)
    if (const Node second = node.child(name).next_sibling(name))
      fail(second, std::string("<") + node.name() + "> has two <" + name + ">");
}

std::vector<double> RobotXml::numbers_of(Node node, const std::string& what, const char* value, std::size_t least,
                                         std::size_t most) {
  std::vector<double> out;
  const char *at = value, *end = at + std::strlen(at);
  const auto skip = [&] {
    while (at < end && std::strchr(" \t\r\n", *at) != nullptr) ++at;
    if (at < end && *at == '+') ++at;
  };
  bool good = true;
  for (skip(); at < end && good; skip()) {
    double number = 0;
    const auto [stop, problem] = std::from_chars(at, end, number);
    good = problem == std::errc{} && std::isfinite(number) && out.size() < most;
    out.push_back(number);
    at = stop;
  }
  if (good && out.size() >= least) return out;
  const std::string wanted = most == 1 ? "a finite number is"
                             : least == most
                                 ? std::to_string(most) + " finite numbers are"
                                 : std::to_string(least) + " to " + std::to_string(most) + " finite numbers are";
  fail(node, what + " is `" + printable(value) + "`: " + wanted + " wanted");
  return {};
}

}  // namespace mbc::tools
