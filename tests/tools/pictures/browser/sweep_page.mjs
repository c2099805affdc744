// SPDX-License-Identifier: Apache-2.0
// Compares the map on the page of a sweep with the rows, and opened members with separate runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, folder, mbc, model, near, opened, table } from "./support.mjs";
import { named } from "./run_page.mjs";

const SWEEP = `mbd 1
param L = 0.5 [m], angle = 1, m = 1 [kg]
gravity (0, 0, -9.81) [m/s^2]
particle bob(m) at L*(sin(angle), 0, -cos(angle))
constraint rod: dist(ground, bob) == L
output tension = -rod.lambda
simulate swing { time = 0 [s] .. 1 [s] step 10 [ms]; integrator = rk4 }
sweep map over swing {
  angle = 0.2 .. 2 count 10
  L     = 0.25 [m] .. 1 [m] count 6
  record max_over(tension), final(bob.x)
}
`;

// Returns the place of a member's cell on the screen.
const cell = (tab, member) =>
  tab.evaluate((m) => {
    const [w, h] = page.cell();
    const j = page.members.findIndex((row) => row.includes(m));
    const i = page.members[j].indexOf(m);
    return { x: page.frame.left + (i + 0.5) * w, y: page.frame.bottom - (j + 0.5) * h };
  }, member - 1);

async function map(tab, rows) {
  const text = await tab.innerText("#member");
  const first = await tab.evaluate(() => page.chosen);
  check(text.includes(`member ${first + 1}`), "one is open at first");
  await tab.click("#members", { position: await cell(tab, 28) });
  const said = await tab.innerText("#member");
  check(said.includes("member 28"), "a click chooses the member");
  const value = Number(/max_over\(tension\)\s+([\d.]+)/.exec(said)[1]);
  check(near(value, rows["max_over(tension)"][27], 1e-6), `with the value of its row, ${value}`);
  const colours = await tab.evaluate((places) => {
    const { data, width } = page.context.getImageData(0, 0, page.canvas.width, page.canvas.height);
    return places.map((p) => [...data.slice(4 * (Math.round(p.y + 5) * width + Math.round(p.x + 5))).slice(0, 3)]);
  }, [await cell(tab, 1), await cell(tab, 60)]);
  const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  check(light(colours[1]) > light(colours[0]) + 60, "the largest value is the lightest");
}

// Compares the motion of a member in the page with a run with its values.
async function motion(tab, rows) {
  const member = await tab.evaluate(() => {
    const all = [...document.querySelectorAll('script[id^="member-"]')].map((e) => Number(e.id.slice(7)));
    return all[Math.floor(all.length / 2)];
  });
  await tab.click("#members", { position: await cell(tab, member) });
  const frame = await (await tab.waitForSelector("#motion iframe")).contentFrame();
  await frame.waitForFunction(() => window.page);
  const values = ["angle", "L"].map((name) => `${name} = ${rows[name][member - 1]}`);
  mbc("run", "map.mbd", "-o", "one.csv", "--quiet", ...values.flatMap((v) => ["--set", v]));
  const one = table("one.csv");
  const at = await frame.evaluate(() => {
    page.seek(0.6);
    return page.drawing.now[0].at;
  });
  check(near(at[0], one.at("bob.x", 0.6), 1e-4) && near(at[2], one.at("bob.z", 0.6), 1e-4), "the motion of a member is that of its run");
  check(near(one["bob.x"].at(-1), rows["final(bob.x)"][member - 1], 1e-12), "which ends as its row says");
}

// Saves the map: a cell for each member, in the colours of the page.
async function saves(tab) {
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator("#choices").getByText("SVG").click()]);
  const text = readFileSync(await saved.path(), "utf8");
  const found = await tab.evaluate((svg) => {
    const read = new DOMParser().parseFromString(svg, "image/svg+xml");
    const fills = [...read.querySelectorAll("path[fill]")].map((e) => e.getAttribute("fill"));
    return { broken: read.querySelector("parsererror") !== null, cells: fills.filter((f) => f.startsWith("#")).length, texts: [...read.querySelectorAll("text")].map((e) => e.textContent) };
  }, text);
  check(!found.broken && found.cells >= 60, `the map has its cells: ${found.cells}`);
  check(found.texts.some((t) => t.includes("max_over(tension)")) && found.texts.includes("L [m]"), `and its names: ${found.texts}`);
}

async function keysAndForms(tab) {
  await tab.locator("#members").focus();
  const before = await tab.evaluate(() => page.chosen);
  await tab.keyboard.press("ArrowRight");
  const after = await tab.evaluate(() => page.chosen);
  check(Math.abs(after - before) === 6 || after === before, "an arrow goes to the next value");
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("Enter");
  const missing = await tab.evaluate(() => [...Array(60).keys()].find((m) => !page.hasMotion(m)));
  await tab.click("#members", { position: await cell(tab, missing + 1) });
  check((await tab.innerText("#nomotion")).includes("is not in this page"), "where there is no motion it says so");
  check(/mbc view map\.mbd swing --set "angle = /.test(await tab.innerText("#member")), "and by which command it is had");
  await tab.getByLabel("Form").selectOption({ label: "a line for each L" });
  check((await tab.locator("#key .entry").count()) === 6, "lines have their values in the legend");
  await tab.getByLabel("Recorded value").selectOption({ label: "final(bob.x) [m]" });
  const point = await tab.evaluate(() => page.points.find((p) => p.member === 30));
  await tab.click("#members", { position: { x: point.x, y: point.y } });
  check((await tab.innerText("#member")).includes("member 31"), "a point of a line is a member");
}

export async function sweepPage() {
  model("map.mbd", SWEEP);
  mbc("sweep", "map.mbd", "-o", "map.csv", "--report", "map.html", "--motions", "20", "--quiet");
  const [head, ...lines] = readFileSync(join(folder, "map.csv"), "utf8").trim().split("\r\n");
  const rows = Object.fromEntries(head.split(",").map((name, k) => [name, lines.map((line) => Number(line.split(",")[k]))]));
  const tab = await opened("map.html");
  await map(tab, rows);
  await saves(tab);
  await motion(tab, rows);
  await keysAndForms(tab);
  await named(tab, "a sweep");
  await tab.close();

  // Masses from 0 are invalid for the model; the sweep has three names.
  mbc("sweep", "map.mbd", "-o", "bad.csv", "--vary", "m = (0, 1, 2) [kg]", "--report", "bad.html", "--motions", "5", "--quiet");
  const bad = await opened("bad.html", { dark: true, width: 390, height: 800 });
  check((await bad.innerText("#state")).includes("60 failed"), "members that fail are counted");
  await bad.evaluate(() => page.choose(page.memberAt([0, 0, 0]), true));
  check((await bad.innerText("#member")).includes("impossible"), "and say why");
  check(await bad.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), "a sweep fits on a phone");
  await bad.close();
}
