// SPDX-License-Identifier: Apache-2.0
// Tests the cache of compiled objects (jit/kept/object_cache.h): which entries it finds, refuses and removes, and the
// digest and the key.
#include "jit/kept/object_cache.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/cache_folder.h"
#include "jit/kept/kernel_key.h"
#include "tests/kernel/random_kernel.h"
#include "tests/support/scratch.h"

namespace mbc::test {
namespace {

using jit::Digest;
using jit::ObjectCache;

Digest key_of(const std::string& text) { return jit::sha256(text.data(), text.size()); }

std::string file_of(const Folder& folder, const Digest& key) { return folder / ("cache/" + jit::to_hex(key) + ".o"); }

void write_whole(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::size_t files_in(const std::string& path) {
  const std::filesystem::directory_iterator all(path);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("SHA-256 of the examples of FIPS 180-4, in pieces of any size") {
  CHECK(jit::to_hex(key_of("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(jit::to_hex(key_of("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(jit::to_hex(key_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  const std::string million(1000000, 'a');
  CHECK(jit::to_hex(key_of(million)) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  for (const std::size_t piece : {1u, 7u, 63u, 64u, 65u, 1000u}) {
    jit::Sha256 sum;
    for (std::size_t at = 0; at < million.size(); at += piece)
      sum.add(million.data() + at, std::min(piece, million.size() - at));
    CHECK(sum.finish() == key_of(million));
  }
}

TEST_CASE("an object that was stored is found, by its own key only, by any cache of the folder") {
  const Folder folder;
  const std::string object(100000, 'x');
  {
    const ObjectCache cache(folder / "a/b/cache");
    REQUIRE(cache.usable());
    CHECK_FALSE(cache.load(key_of("1")));
    CHECK(cache.store(key_of("1"), object));
    CHECK(cache.store(key_of("empty"), ""));
  }
  const ObjectCache again(folder / "a/b/cache");
  CHECK(again.load(key_of("1")) == object);
  CHECK(again.load(key_of("empty")) == "");
  CHECK_FALSE(again.load(key_of("2")));
  struct stat s {};
  REQUIRE(stat((folder / "a/b/cache").c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0700);
  REQUIRE(stat((folder / ("a/b/cache/" + jit::to_hex(key_of("1")) + ".o")).c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0600);
  CHECK(files_in(folder / "a/b/cache") == 2);  // No temporary file is left.
}

TEST_CASE("files that are damaged, cut off or of another key are no hit, and are replaced") {
  const Folder folder;
  const ObjectCache cache(folder / "cache");
  const Digest key = key_of("1"), other = key_of("2");
  const std::string object(5000, 'y');
  REQUIRE(cache.store(key, object));
  const std::string good = read_file(file_of(folder, key));
  REQUIRE(good.size() > object.size());
  std::vector<std::string> bad{"", "x", good + "x", good.substr(0, good.size() - 1), good.substr(0, 20)};
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, std::size_t{20}, std::size_t{60}, good.size() - 1}) {
    bad.push_back(good);
    bad.back()[at] = static_cast<char>(bad.back()[at] ^ 1);
  }
  for (const std::string& text : bad) {
    write_whole(file_of(folder, key), text);
    CHECK_FALSE(cache.load(key));
    CHECK(cache.store(key, object));
    CHECK(cache.load(key) == object);
  }
  write_whole(file_of(folder, other), good);  // The entry is well formed but belongs to another kernel.
  chmod(file_of(folder, other).c_str(), 0600);
  CHECK_FALSE(cache.load(other));
}

TEST_CASE("what others could have written is not used") {
  const Folder folder;
  const Digest key = key_of("1");
  {
    const ObjectCache cache(folder / "cache");
    REQUIRE(cache.store(key, "object"));
    chmod(file_of(folder, key).c_str(), 0620);
    CHECK_FALSE(cache.load(key));
    chmod(file_of(folder, key).c_str(), 0604);
    CHECK_FALSE(cache.load(key));
    chmod(file_of(folder, key).c_str(), 0600);
    CHECK(cache.load(key) == "object");
    std::filesystem::rename(file_of(folder, key), folder / "elsewhere");
    std::filesystem::create_symlink(folder / "elsewhere", file_of(folder, key));
    CHECK_FALSE(cache.load(key));
    CHECK(cache.store(key, "object"));  // The entry replaces the link.
    CHECK(cache.load(key) == "object");
    CHECK(std::filesystem::remove(file_of(folder, key)));
    REQUIRE(mkfifo(file_of(folder, key).c_str(), 0600) == 0);  // The cache must not wait for a writer of the pipe.
    CHECK_FALSE(cache.load(key));
  }
  chmod((folder / "cache").c_str(), 0755);
  CHECK_FALSE(ObjectCache(folder / "cache").usable());
  chmod((folder / "cache").c_str(), 0700);
  CHECK(ObjectCache(folder / "cache").usable());
  std::filesystem::create_symlink(folder / "cache", folder / "link");
  CHECK_FALSE(ObjectCache(folder / "link").usable());
}

TEST_CASE("folders that cannot be used are not, and nothing is said") {
  const Folder folder;
  write_whole(folder / "file", "x");
  for (const std::string& path :
       {std::string(), folder / "file", folder / "file/below", std::string("/proc/none/mbc")}) {
    const ObjectCache cache(path);
    CHECK_FALSE(cache.usable());
    CHECK_FALSE(cache.load(key_of("1")));
    CHECK_FALSE(cache.store(key_of("1"), "object"));
  }
  const ObjectCache gone(folder / "gone");
  REQUIRE(gone.usable());
  std::filesystem::remove(folder / "gone");
  CHECK_FALSE(gone.store(key_of("1"), "object"));
  CHECK_FALSE(gone.load(key_of("1")));
}

TEST_CASE("the folder stays below its limit: what was not used for longest goes first") {
  const Folder folder;
  constexpr std::uint64_t kLimit = 10000;
  const ObjectCache cache(folder / "cache", kLimit);
  const std::string object(1900, 'z');  // Five objects fit into the limit.
  const auto age = [&](const std::string& name, long seconds) {
    const timespec times[2] = {{1000000 + seconds, 0}, {1000000 + seconds, 0}};
    REQUIRE(utimensat(AT_FDCWD, file_of(folder, key_of(name)).c_str(), times, 0) == 0);
  };
  for (const char* name : {"0", "1", "2", "3", "4"}) REQUIRE(cache.store(key_of(name), object));
  for (int k = 0; k < 5; ++k) age(std::to_string(k), k);
  CHECK(cache.load(key_of("0")));  // This call makes the entry the most recently used one.
  write_whole(folder / "cache/.new-1-2-3", object);
  age("4", 4);
  REQUIRE(cache.store(key_of("5"), object));
  CHECK(cache.load(key_of("0")));
  CHECK(cache.load(key_of("5")));
  CHECK_FALSE(cache.load(key_of("1")));
  CHECK_FALSE(cache.load(key_of("2")));
  for (int k = 10; k < 60; ++k) cache.store(key_of(std::to_string(k)), object);
  std::uint64_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cache"))
    if (entry.path().extension() == ".o") total += entry.file_size();
  CHECK(total <= kLimit);
  CHECK(total > kLimit / 2);
  CHECK_FALSE(cache.store(key_of("huge"), std::string(2 * kLimit, 'z')));
  // A file that is being written stays; a file that was left behind is removed.
  CHECK(std::filesystem::exists(folder / "cache/.new-1-2-3"));
  const timespec long_ago[2] = {{1000000, 0}, {1000000, 0}};
  REQUIRE(utimensat(AT_FDCWD, (folder / "cache/.new-1-2-3").c_str(), long_ago, 0) == 0);
  CHECK(cache.store(key_of("last"), object));
  CHECK_FALSE(std::filesystem::exists(folder / "cache/.new-1-2-3"));
}

TEST_CASE("processes that store and load the same objects at once see whole ones only") {
  const Folder folder;
  const auto object = [](int k) { return std::string(2000 + 37 * k, static_cast<char>('a' + k)); };
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid > 0) {
      children.push_back(pid);
      continue;
    }
    // About ten objects fit, so that they are removed and stored again.
    const ObjectCache cache(folder / "cache", 40000);
    for (int round = 0; round < 400; ++round) {
      const int k = (round * 7 + child * 3) % 20;
      const auto found = cache.load(key_of(std::to_string(k)));
      if (found && *found != object(k)) _exit(1);
      if (!found && !cache.store(key_of(std::to_string(k)), object(k))) _exit(2);
    }
    _exit(0);
  }
  for (const pid_t pid : children) {
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

TEST_CASE("the folder comes from MBC_CACHE, XDG_CACHE_HOME, HOME, in this order") {
  const auto with = [](const char* own, const char* base, const char* home) {
    const auto set = [](const char* name, const char* value) {
      const char* old = std::getenv(name);
      const std::string before = old ? old : "";
      const bool was = old != nullptr;
      value ? setenv(name, value, 1) : unsetenv(name);
      return [name, before, was] { was ? setenv(name, before.c_str(), 1) : unsetenv(name); };
    };
    const auto a = set("MBC_CACHE", own), b = set("XDG_CACHE_HOME", base), c = set("HOME", home);
    const std::string found = cache_folder();
    a(), b(), c();
    return found;
  };
  const Folder there;
  const char* home = there.path().c_str();
  CHECK(with("/own", "/base", home) == "/own");
  CHECK(with("off", "/base", home) == "");
  CHECK(with("", "/base", home) == "");
  CHECK(with(nullptr, "/base", home) == "/base/mbc");
  CHECK(with(nullptr, "base", home) == there / ".cache/mbc");  // A relative path is ignored.
  CHECK(with(nullptr, nullptr, home) == there / ".cache/mbc");
  CHECK(with(nullptr, nullptr, (there / "missing").c_str()) == "");  // The home folder is not created.
  CHECK(with(nullptr, nullptr, nullptr) == "");
  CHECK(with(nullptr, "", "") == "");
}

TEST_CASE("the key follows everything code depends on, and nothing else") {
  RandomKernelOptions options;
  options.functions = 3;
  const kernel::Kernel kernel = random_kernel(7, options);
  const Digest key = jit::kernel_key(kernel, "LLVM");
  CHECK(jit::kernel_key(kernel, "LLVM") == key);
  CHECK(jit::kernel_key(kernel, "LLVM, other processor") != key);
  const auto changed = [&](const std::function<void(kernel::Kernel&)>& change) {
    kernel::Kernel other = kernel;
    change(other);
    return jit::kernel_key(other, "LLVM") != key;
  };
  REQUIRE(!kernel.functions[0].blocks.empty());
  REQUIRE(!kernel.functions[0].blocks[0].code.empty());
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].blocks[0].code.back().a ^= 1; }));
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].blocks[0].code.back().indexed ^= true; }));
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].blocks[0].code.back().spread ^= true; }));
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].blocks[0].lanes *= 2; }));
  CHECK(changed([](kernel::Kernel& k) { ++k.functions[0].guard_end; }));
  const auto gate = [&](std::uint32_t column, double value) {
    kernel::Kernel other = kernel;
    other.functions[0].blocks[0].gate = column;
    other.functions[0].blocks[0].off = {{1, value}};
    return jit::kernel_key(other, "LLVM");
  };
  CHECK(gate(0, 0) != key);
  CHECK(gate(0, 0) != gate(1, 0));
  CHECK(gate(0, 0) != gate(0, -0.0));
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].blocks[0].constants.push_back(1); }));
  const auto with_table = [](double last) {
    return [last](kernel::Kernel& k) {
      k.functions[0].blocks[0].tables.push_back(
          std::make_shared<kernel::DataTable>(std::vector<double>{0, 1}, std::vector<double>{0, last},
                                              kernel::DataTable::Method::linear, kernel::DataTable::Beyond::error));
    };
  };
  CHECK(changed(with_table(1)));
  const auto table = [&](std::uint32_t rows, auto&& entry) {
    return changed([&](kernel::Kernel& k) { k.functions[0].blocks[0].table = {rows, 1, entry}; });
  };
  CHECK(table(3, [](std::uint32_t k, std::uint32_t) { return 2 * k; }));
  CHECK(table(3, [](std::uint32_t k, std::uint32_t) { return k * k; }));
  CHECK(changed([](kernel::Kernel& k) { ++k.functions[0].blocks[0].count; }));
  CHECK(changed([](kernel::Kernel& k) { ++k.functions[0].blocks[0].columns; }));
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].calls.push_back({"mbc_dense_solve", {1}}); }));
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].steps.pop_back(); }));
  CHECK(changed([](kernel::Kernel& k) { ++k.functions[0].check_end; }));
  CHECK(changed([](kernel::Kernel& k) { k.functions[0].name += "x"; }));
  CHECK(changed([](kernel::Kernel& k) { k.functions.pop_back(); }));
  CHECK(changed([](kernel::Kernel& k) { ++k.n_work; }));
  CHECK_FALSE(changed([](kernel::Kernel& k) { k.name = "another file"; }));
  CHECK_FALSE(changed([](kernel::Kernel& k) { k.functions[0].blocks[0].name = "renamed"; }));
  CHECK_FALSE(changed([](kernel::Kernel& k) { k.functions[0].blocks[0].origin.assign(5, Span{}); }));
  CHECK_FALSE(changed([](kernel::Kernel& k) { k.fields.push_back({"f", kernel::Space::work, 0, 1}); }));
}

}  // namespace mbc::test
