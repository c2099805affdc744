// SPDX-License-Identifier: Apache-2.0
// Runs a browser without a window, opens pages of the program in it, and counts the checks.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const [program, source, browserPath] = process.argv.slice(2);
export const folder = mkdtempSync(join(tmpdir(), "mbc-pages-"));
const counts = { passed: 0, failed: 0 };

export function check(ok, what) {
  ++counts[ok ? "passed" : "failed"];
  if (!ok) console.log(`pages: not so: ${what}`);
}

export const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

// Runs `mbc ...` in the folder of the test. A failure ends the test.
export function mbc(...args) {
  const run = spawnSync(program, args, { cwd: folder, encoding: "utf8", env: { ...process.env, MBC_CACHE: "off", DISPLAY: "", WAYLAND_DISPLAY: "" } });
  if (run.status !== 0) throw new Error(`mbc ${args.join(" ")}: ${run.status} ${run.stderr}`);
  return run.stdout;
}

export const model = (name, text) => writeFileSync(join(folder, name), text);

// Returns the rows of a CSV file without quotes as numbers by column.
export function table(name) {
  const [head, ...lines] = readFileSync(join(folder, name), "utf8").trim().split("\r\n");
  const rows = lines.map((line) => line.split(",").map(Number));
  const columns = Object.fromEntries(head.split(",").map((column, k) => [column, rows.map((row) => row[k])]));
  return {
    ...columns,
    // The page draws straight lines between the rows.
    at(column, time) {
      const t = columns.time;
      const k = Math.min(Math.max(t.findIndex((one) => one > time), 1), t.length - 1);
      const part = Math.min(1, (time - t[k - 1]) / (t[k] - t[k - 1]));
      return columns[column][k - 1] + part * (columns[column][k] - columns[column][k - 1]);
    },
  };
}

const browser = await chromium.launch({
  executablePath: browserPath,
  // WebGL runs on the processor.
  args: ["--headless", "--no-sandbox", "--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

// Opens a page from disk. Every console message and every request except that for the file itself is a failure.
export async function opened(name, { width = 1280, height = 800, dark = false } = {}) {
  const tab = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  tab.setDefaultTimeout(15000);
  const wrong = (text) => check(false, `${name} is quiet: ${text}`);
  tab.on("console", (message) => wrong(`${message.type()}: ${message.text()}`));
  tab.on("pageerror", (error) => wrong(error.stack));
  tab.on("request", (request) => /^(file|blob):/.test(request.url()) || request.url() === "about:srcdoc" || wrong(`request of ${request.url()}`));
  const begin = Date.now();
  await tab.goto("file://" + join(folder, name));
  await tab.waitForFunction(() => window.page);
  tab.openedIn = Date.now() - begin;
  check(true, `${name} opens`);
  return tab;
}

export async function ended(error) {
  if (error) check(false, error.stack);
  await browser.close();
  rmSync(folder, { recursive: true });
  console.log(`pages: ${counts.passed} passed, ${counts.failed} failed`);
  process.exit(counts.failed > 0 ? 1 : 0);
}
