// SPDX-License-Identifier: Apache-2.0
#include "api/fmi/resources.h"

#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/read_file.h"
#include "mbc_version.h"

namespace mbc::fmi {
namespace {

constexpr const char* kContents = "contents.json";
constexpr const char* kModel = "model.mbd";

bool read(const std::string& path, std::string& text, std::string& error) {
  return read_file(path, text, error, std::numeric_limits<std::size_t>::max());
}

}  // namespace

std::vector<std::pair<std::string, std::string>> resource_files(const Model& model, const std::string& name,
                                                                const std::string& token, const std::string& simulation,
                                                                const std::vector<std::string>& set) {
  std::vector<std::pair<std::string, std::string>> files;
  nlohmann::ordered_json contents;
  contents["mbc"] = MBC_VERSION;
  contents["token"] = token;
  contents["name"] = name;
  contents["simulation"] = simulation;
  contents["set"] = set;
  contents["files"] = nlohmann::ordered_json::object();
  for (const ModelText& text : model_texts(model)) {
    if (text.kind == ModelText::Kind::model) files.emplace_back(kModel, text.text);
    if (text.kind != ModelText::Kind::file) continue;
    const std::string place = "files/" + std::to_string(contents["files"].size());
    contents["files"][text.name] = place;
    files.emplace_back(place, text.text);
  }
  files.emplace_back(kContents, contents.dump(2) + "\n");
  return files;
}

std::optional<Resources> read_resources(const std::string& folder, std::string& error) {
  std::string text;
  if (!read(folder + "/" + kContents, text, error)) return {};
  const nlohmann::json contents = nlohmann::json::parse(text, nullptr, false);
  Resources out;
  auto files = std::make_shared<std::map<std::string, std::string>>();
  try {
    if (contents.at("mbc").get<std::string>() != MBC_VERSION) {
      error = "the FMU was exported by mbc " + contents.at("mbc").get<std::string>() + ", its library is " MBC_VERSION;
      return {};
    }
    out.token = contents.at("token").get<std::string>();
    out.name = contents.at("name").get<std::string>();
    out.simulation = contents.at("simulation").get<std::string>();
    out.options.set = contents.at("set").get<std::vector<std::string>>();
    for (const auto& [name, place] : contents.at("files").items())
      if (!read(folder + "/" + place.get<std::string>(), (*files)[name], error)) return {};
  } catch (const nlohmann::json::exception&) {
    error = "`" + folder + "/" + kContents + "` is not what mbc has exported";
    return {};
  }
  if (!read(folder + "/" + kModel, out.text, error)) return {};
  out.options.interpret = true;
  out.options.loader = [files](const std::string& name) -> std::optional<std::string> {
    const auto found = files->find(name);
    return found == files->end() ? std::nullopt : std::optional(found->second);
  };
  return out;
}

std::string token_of(const Model& model, const std::string& simulation, const std::vector<std::string>& set) {
  // The sum includes the data that the digest of the texts does not cover.
  std::uint64_t hash = digest(MBC_VERSION + ("\n" + simulation));
  for (const std::string& s : set) hash = digest("\n" + s, hash);
  for (const ModelText& text : model_texts(model))
    if (text.kind == ModelText::Kind::file) hash = digest("\n" + text.text, hash);
  char out[48];
  std::snprintf(out, sizeof out, "{mbc-%016llx-%016llx}", static_cast<unsigned long long>(text_digest(model)),
                static_cast<unsigned long long>(hash));
  return out;
}

}  // namespace mbc::fmi
