// SPDX-License-Identifier: Apache-2.0
// Measures how long answers take depending on the size of the text. `mbc_unit_lsp -ns -tc="*as a table*"` prints the
// table of docs/editors.md. The suite only checks that no time grows with the square of the size.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "tests/tools/lsp/client.h"

using namespace mbc;
using test::Json;

namespace {

const std::string kUri = "file:///tmp/none/chain.mbd";

// Returns a chain in which every line declares something.
std::string chain(std::size_t lines) {
  std::string text = "mbd 1\n/// a chain\nparam m = 1 [kg], L = 0.1 [m]\ngravity (0, 0, -9.81) [m/s^2]\n";
  for (std::size_t i = 1; 3 * i + 5 <= lines; ++i) {
    const std::string k = std::to_string(i), before = i == 1 ? "ground" : "p" + std::to_string(i - 1);
    text += "particle p" + k + "(m) at (" + k + "*L, 0, 0)\n";
    text += "constraint rod" + k + ": dist(" + before + ", p" + k + ") == L\n";
    text += "output e" + k + " = 0.5*m*norm(p" + k + ".vel)^2\n";
  }
  return text + "simulate demo { time = 0 [s] .. 1 [s] step 1 [ms] }\n";
}

double quantile_of(std::vector<double>& ms, double q) {
  std::sort(ms.begin(), ms.end());
  return ms[std::min(ms.size() - 1, static_cast<std::size_t>(q * static_cast<double>(ms.size())))];
}

struct Times {
  // wall-clock times; processor times of this process, which other load does not affect
  std::vector<double> ms, processor_ms;

  template <class Ask>
  void of(Ask&& ask) {
    const std::clock_t used = std::clock();
    const auto begin = std::chrono::steady_clock::now();
    std::forward<Ask>(ask)();
    ms.push_back(1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    processor_ms.push_back(1e3 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
  }
  [[nodiscard]] double quantile(double q) { return quantile_of(ms, q); }
};

struct Latency {
  Times key, broken, tokens, symbols, hover, completion;
};

// Types keys in the middle of the text: blanks that keep it correct, then characters that make it wrong.
Latency measured(std::size_t lines, int keys) {
  test::Client client;
  client.open(kUri, chain(lines));
  client.diagnostics(kUri);
  Latency out;
  const std::size_t place = client.text(kUri).find('\n', client.text(kUri).size() / 2) + 1;
  const std::size_t word = client.text(kUri).find("rod", place);
  const auto lens = [&] { (void)client.ask("textDocument/codeLens", kUri); };
  for (int k = 0; k < keys; ++k) {
    client.edit(kUri, place, place, " ");
    const std::size_t at = word + static_cast<std::size_t>(k) + 1;
    out.completion.of([&] { CHECK(client.ask("textDocument/completion", kUri, place + 1)["items"].size() > 20); });
    out.key.of(lens);  // This request compiles the text and publishes its diagnostics.
    out.tokens.of([&] { (void)client.ask("textDocument/semanticTokens/full", kUri); });
    out.symbols.of([&] { (void)client.ask("textDocument/documentSymbol", kUri); });
    out.hover.of([&] { CHECK(client.ask("textDocument/hover", kUri, at).contains("contents")); });
    client.sent.clear();
  }
  for (int k = 0; k < keys; ++k) {
    client.edit(kUri, place, place, k % 2 == 0 ? "let (= " : "\n");
    out.broken.of(lens);
    client.sent.clear();
  }
  return out;
}

}  // namespace

TEST_CASE("answers take no longer than the text is long") {
  Latency small = measured(300, 7), large = measured(1200, 7);
  // The text is four times as long. Quadratic growth would take sixteen times as long.
  CHECK(large.key.quantile(0) < 12 * small.key.quantile(0));
  CHECK(large.tokens.quantile(0) < 12 * small.tokens.quantile(0));
  CHECK(large.symbols.quantile(0) < 12 * small.symbols.quantile(0));
}

TEST_CASE("how long answers take, as a table" * doctest::skip()) {
  lsp::keep_memory();
  std::printf(
      "| lines | after a key | of that the processor | with a mistake of syntax | colours | outline | hover | "
      "completion |\n");
  for (const std::size_t lines : {100u, 500u, 1000u, 2000u, 5000u}) {
    Latency all = measured(lines, 100);
    std::printf("| %zu | %.1f / %.1f ", lines, all.key.quantile(0.5), all.key.quantile(0.99));
    std::printf("| %.1f / %.1f ", quantile_of(all.key.processor_ms, 0.5), quantile_of(all.key.processor_ms, 0.99));
    for (Times* t : {&all.broken, &all.tokens, &all.symbols, &all.hover, &all.completion}) {
      std::printf("| %.1f / %.1f ", t->quantile(0.5), t->quantile(0.99));
      CHECK(t->quantile(0.5) < 2000);
    }
    std::printf("|\n");
  }
}
