// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/fmu/importer.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <zip.h>

#include <filesystem>
#include <fstream>

namespace mbc::test {
namespace {

void unpack(const std::string& path, const std::string& folder) {
  zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY, nullptr);
  REQUIRE(archive != nullptr);
  for (zip_int64_t k = 0; k < zip_get_num_entries(archive, 0); ++k) {
    zip_stat_t about;
    REQUIRE(zip_stat_index(archive, static_cast<zip_uint64_t>(k), 0, &about) == 0);
    std::string bytes(about.size, '\0');
    zip_file_t* file = zip_fopen_index(archive, static_cast<zip_uint64_t>(k), 0);
    REQUIRE(zip_fread(file, bytes.data(), bytes.size()) == static_cast<zip_int64_t>(bytes.size()));
    zip_fclose(file);
    const std::filesystem::path out = folder + "/" + about.name;
    std::filesystem::create_directories(out.parent_path());
    std::ofstream(out, std::ios::binary) << bytes;
  }
  zip_discard(archive);
}

// Returns the text between the quotes after ` name=`, or "" if the element has no such attribute.
std::string attribute(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 3;
  return element.substr(begin, element.find('"', begin) - begin);
}

void take_message(void* environment, int status, const char* category, const char* message) {
  static_cast<Instance3*>(environment)->log += std::to_string(status) + " " + category + ": " + message + "\n";
}

}  // namespace

Fmu::Fmu(const std::string& path) {
  unpack(path, folder_.path());
  description_ = read_file(folder_ / "modelDescription.xml");
  token_ = attribute(description_,
                     description_.find("fmiVersion=\"2.0\"") == std::string::npos ? "instantiationToken" : "guid");
  for (std::size_t at = 0; (at = description_.find(" valueReference=", at)) != std::string::npos; ++at) {
    const std::size_t begin = description_.rfind('<', at);
    const std::string element = description_.substr(begin, description_.find('>', at) - begin);
    if (const std::string name = attribute(element, "name"); !name.empty())
      references_[name] = static_cast<std::uint32_t>(std::stoul(attribute(element, "valueReference")));
  }
  const std::filesystem::directory_iterator systems(folder_ / "binaries");
  const std::string library =
      (systems->path() /
       (attribute(description_.substr(description_.find("<CoSimulation")), "modelIdentifier") + ".so"))
          .string();
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library_ != nullptr, std::string(dlerror() != nullptr ? "cannot be opened" : ""));
}

Fmu::~Fmu() { dlclose(library_); }

std::uint32_t Fmu::reference(const std::string& name) const {
  const auto found = references_.find(name);
  REQUIRE_MESSAGE(found != references_.end(), name);
  return found->second;
}

void* Fmu::symbol(const char* name) const {
  void* found = dlsym(library_, name);
  REQUIRE_MESSAGE(found != nullptr, std::string(name));
  return found;
}

Instance3::Instance3(const Fmu& fmu, const std::string& token) : fmu_(fmu) {
  using Make = void*(const char*, const char*, const char*, bool, bool, bool, bool, const std::uint32_t*, std::size_t,
                     void*, void (*)(void*, int, const char*, const char*), void*);
  instance_ = fmu.function<Make>("fmi3InstantiateCoSimulation")("one", (token.empty() ? fmu.token() : token).c_str(),
                                                                fmu.resources().c_str(), false, true, false, false,
                                                                nullptr, 0, this, &take_message, nullptr);
}

Instance3::~Instance3() { fmu_.function<void(void*)>("fmi3FreeInstance")(instance_); }

int Instance3::enter(double start, bool stops, double stop) {
  using Enter = int(void*, bool, double, double, bool, double);
  return fmu_.function<Enter>("fmi3EnterInitializationMode")(instance_, false, 0, start, stops, stop);
}
int Instance3::exit() { return call("fmi3ExitInitializationMode"); }
int Instance3::begin(double start) {
  const int entered = enter(start);
  return entered != 0 ? entered : exit();
}

int Instance3::step(double at, double h, bool* ended) {
  using Step = int(void*, double, double, bool, bool*, bool*, bool*, double*);
  bool event = true, terminate = false, early = false;
  double reached = 0;
  const int status = fmu_.function<Step>("fmi3DoStep")(instance_, at, h, true, &event, &terminate, &early, &reached);
  if (ended != nullptr) *ended = terminate;
  return status;
}

int Instance3::get(const std::vector<std::uint32_t>& references, std::vector<double>& values) {
  using Get = int(void*, const std::uint32_t*, std::size_t, double*, std::size_t);
  values.assign(references.size(), 0);
  return fmu_.function<Get>("fmi3GetFloat64")(instance_, references.data(), references.size(), values.data(),
                                              values.size());
}
double Instance3::value(const std::string& name) {
  std::vector<double> values;
  CHECK_MESSAGE(get({fmu_.reference(name)}, values) == 0, log);
  return values[0];
}
int Instance3::set(const std::string& name, double value) {
  using Set = int(void*, const std::uint32_t*, std::size_t, const double*, std::size_t);
  const std::uint32_t reference = fmu_.reference(name);
  return fmu_.function<Set>("fmi3SetFloat64")(instance_, &reference, 1, &value, 1);
}
int Instance3::call(const char* name) { return fmu_.function<int(void*)>(name)(instance_); }

std::string Instance3::saved() {
  void* state = nullptr;
  std::size_t size = 0;
  CHECK(fmu_.function<int(void*, void**)>("fmi3GetFMUState")(instance_, &state) == 0);
  CHECK(fmu_.function<int(void*, void*, std::size_t*)>("fmi3SerializedFMUStateSize")(instance_, state, &size) == 0);
  std::string bytes(size, '\0');
  CHECK(fmu_.function<int(void*, void*, char*, std::size_t)>("fmi3SerializeFMUState")(instance_, state, bytes.data(),
                                                                                      size) == 0);
  CHECK(fmu_.function<int(void*, void**)>("fmi3FreeFMUState")(instance_, &state) == 0);
  CHECK(state == nullptr);
  return bytes;
}
int Instance3::restore(const std::string& bytes) {
  void* state = nullptr;
  CHECK(fmu_.function<int(void*, const char*, std::size_t, void**)>("fmi3DeserializeFMUState")(
            instance_, bytes.data(), bytes.size(), &state) == 0);
  const int status = fmu_.function<int(void*, void*)>("fmi3SetFMUState")(instance_, state);
  CHECK(fmu_.function<int(void*, void**)>("fmi3FreeFMUState")(instance_, &state) == 0);
  return status;
}

}  // namespace mbc::test
