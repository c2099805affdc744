// SPDX-License-Identifier: Apache-2.0
// Compares the drawings and texts on the page of a run with the rows of the same run in CSV.
import { readFileSync } from "node:fs";
import { check, mbc, model, near, opened, table } from "./support.mjs";

const SWING = `mbd 1
/// A ball that swings and bounces
particle bob(2 [kg]) at (1, 0, 0) [m]
particle ball(1 [kg]) at (-1, 0, 1) [m]
gravity (0, 0, -10) [m/s^2]
constraint rod: dist(ground, bob) == 1 [m]
constraint top: ball.z + 1 [m] >= 0 [m] restitution 0.5
output E = energy.total, height = bob.z
simulate swing { time = 0 [s] .. 2 [s] step 10 [ms]; integrator = rk4 }
`;

const state = (tab) =>
  tab.evaluate(() => ({ time: page.time, first: page.first, last: page.last, playing: page.playing, speed: page.speed, window: page.window }));
const place = (tab, part) =>
  tab.evaluate((name) => {
    const k = page.run.scene.parts.findIndex((p) => p.name === name);
    return { at: page.drawing.now[k].at, pixel: page.drawing.pixel(page.drawing.centreOf(k, page.drawing.now)).slice(0, 2) };
  }, part);

// Returns the colour of the picture at a pixel. WebGL keeps the drawing until the task ends.
const painted = (tab, pixel) =>
  tab.evaluate(([x, y]) => {
    page.update();
    const canvas = document.getElementById("scene");
    const gl = page.drawing.renderer.gl;
    const ratio = canvas.width / canvas.clientWidth;
    const out = new Uint8Array(4);
    gl.readPixels(Math.round(x * ratio), Math.round(canvas.height - y * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return [...out];
  }, pixel);
const apart = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]);

async function plays(tab, rows) {
  const still = await place(tab, "bob");
  const ball = await painted(tab, still.pixel);
  await tab.click("#play");
  await tab.waitForFunction(() => page.time > page.first + 0.3);
  await tab.click("#play");
  const { time, playing } = await state(tab);
  check(!playing, "a second click pauses");
  const moved = await place(tab, "bob");
  for (const [k, axis] of ["x", "y", "z"].entries())
    check(near(moved.at[k], rows.at(`bob.${axis}`, time), 1e-4), `bob.${axis} is drawn where the rows have it at ${time}`);
  check(apart(await painted(tab, moved.pixel), ball) < 120, "the ball is painted at its new place");
  check(apart(await painted(tab, still.pixel), ball) > 120, "and no longer at the old one");
  const shown = Number.parseFloat(await tab.textContent("#time"));
  check(near(shown, time, 1e-3), "the time that is shown is that of the picture");
}

async function scrubs(tab, rows) {
  await tab.evaluate(() => {
    const seek = document.getElementById("seek");
    seek.value = 0.25;
    seek.dispatchEvent(new Event("input"));
  });
  const { time } = await state(tab);
  check(near(time, 0.5, 1e-9), "the bar at a quarter is a quarter of the time");
  check(near((await place(tab, "ball")).at[2], rows.at("ball.z", time), 1e-4), "and the ball is where the rows have it");
}

// Clicks a ball and compares the numbers next to it with the rows.
async function picks(tab, rows) {
  await tab.evaluate(() => page.seek(0.5));
  const { pixel } = await place(tab, "bob");
  await tab.click("#scene", { position: { x: pixel[0], y: pixel[1] }, force: true });
  check(await tab.isVisible("#readout"), "a click shows values");
  const text = await tab.innerText("#readout");
  check(text.includes("particle bob"), "of what was clicked");
  const value = Number(/x\s+(-?[\d.]+)/.exec(text)[1]);
  check(near(value, rows.at("bob.x", 0.5), 1e-4), `x = ${value} is that of the rows`);
  check(/places to [\d.e-]+\sm/.test(text), "with its resolution");
  check(/mass\s+2\skg/.test(text), "and the mass");
  await tab.click("#readout button");
  check(await tab.evaluate(() => page.charts[0].curves[0].name.startsWith("bob.")), "its curves come first");
  // The bob falls from the height of the pin, so that the force is m v^2/L + m g cos.
  const tension = await tab.evaluate(() => seriesAt(page.run, page.charts.flatMap((c) => c.curves).find((c) => c.name === "reaction rod on bob"), 0.5));
  check(near(tension, -60 * rows.at("bob.z", 0.5), 0.02), `the reaction of the rod is a curve: ${tension}`);
}

// The canvas must have the colour of a curve at the places that the rows give.
async function plots(tab, rows) {
  const seen = await tab.evaluate(() => {
    const chart = page.charts.find((c) => c.curves.some((one) => one.name === "height"));
    const { x, y, left, right, top, bottom } = chart.frame;
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = chart.colour(chart.curves.findIndex((one) => one.name === "height"));
    probe.fillRect(0, 0, 1, 1);
    const image = chart.picture.getContext("2d").getImageData(0, 0, chart.picture.width, chart.picture.height);
    return { frame: { x, y, left, right, top, bottom }, colour: [...probe.getImageData(0, 0, 1, 1).data], width: image.width, ratio: devicePixelRatio, data: [...image.data] };
  });
  const { frame: f, colour, width, ratio, data } = seen;
  for (const time of [0.2, 0.7, 1.1, 1.6]) {
    const x = Math.round((f.left + ((time - f.x[0]) / (f.x[1] - f.x[0])) * (f.right - f.left)) * ratio);
    const y = Math.round((f.bottom - ((rows.at("height", time) - f.y[0]) / (f.y[1] - f.y[0])) * (f.bottom - f.top)) * ratio);
    let best = Infinity;
    for (let dy = -2; dy <= 2; ++dy) best = Math.min(best, apart(data.slice(4 * ((y + dy) * width + x)), colour));
    check(best < 90, `the curve of height goes through its value at ${time}`);
  }
  const charts = await tab.evaluate(() => page.charts.flatMap((c) => c.curves.map((one) => one.name)));
  for (const name of ["E", "largest residual", "rank of the rows", "smallest singular value"]) check(charts.includes(name), `there is a curve of ${name}`);
  await tab.evaluate(() => page.seek(0.7));
  const legend = await tab.locator(".legend button", { hasText: "height" }).first().innerText();
  check(near(Number.parseFloat(/height\s+(-?[\d.]+)/.exec(legend)[1]), rows.at("height", 0.7), 1e-4), `the legend says ${legend}`);
}

async function zooms(tab) {
  const canvas = tab.locator(".chart canvas").last();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const drag = async (from, to) => {
    await tab.mouse.move(box.x + from * box.width, box.y + 60);
    await tab.mouse.down();
    await tab.mouse.move(box.x + to * box.width, box.y + 60, { steps: 4 });
    await tab.mouse.up();
  };
  await drag(0.4, 0.6);
  const { window } = await state(tab);
  check(window && window[0] > 0.3 && window[1] < 1.5, "a drag zooms all curves");
  await canvas.dblclick({ position: { x: box.width / 2, y: 60 } });
  check((await state(tab)).window === null, "a double click shows all");
  const name = tab.locator(".legend button").first();
  await name.click();
  check((await tab.locator(".legend button").first().getAttribute("aria-pressed")) === "false", "a name in the legend hides its curve");
  await tab.locator(".legend button").first().click();
}

// The list of horizontal axes is filled when it gets the focus.
async function axes(tab) {
  const choose = async (label) => {
    const list = tab.getByLabel("Horizontal axis").first();
    await list.focus();
    await list.selectOption({ label });
    return tab.evaluate(() => page.charts[0].over && page.charts[0].over.name);
  };
  check((await choose("over bob.x")) === "bob.x", "a curve stands over another one");
  check((await choose("over bob.z")) === "bob.z", "and over a third");
  check((await choose("over time")) === null, "and over the time again");
}

// Saves a chart and reads the file: its curve goes through the values of the rows, and its text stands as it is drawn.
async function saves(tab, rows) {
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.locator(".chart", { hasText: "height" }).getByText("SVG").click()]);
  check(saved.suggestedFilename().endsWith(".svg"), `a chart is saved as ${saved.suggestedFilename()}`);
  const text = readFileSync(await saved.path(), "utf8");
  const found = await tab.evaluate((svg) => {
    const read = new DOMParser().parseFromString(svg, "image/svg+xml");
    const chart = page.charts.find((c) => c.curves.some((one) => one.name === "height"));
    chart.exported();
    const colour = chart.colour(chart.curves.findIndex((one) => one.name === "height"));
    const curve = [...read.querySelectorAll("path[clip-path]")].filter((e) => e.getAttribute("stroke") === colour).pop();
    return {
      broken: read.querySelector("parsererror") !== null,
      texts: [...read.querySelectorAll("text")].map((e) => e.textContent),
      points: curve.getAttribute("d").slice(1).split("L").map((p) => p.split(" ").map(Number)),
      width: Number(read.documentElement.getAttribute("width")),
    };
  }, text);
  check(!found.broken, "the file is well-formed");
  for (const name of ["height", "time [s]", "top"]) check(found.texts.includes(name), `it names ${name}: ${found.texts}`);
  const [[left, first], [right]] = [found.points[0], found.points.at(-1)];
  const scale = (right - left) / 2; // pixels in a second
  const part = (value, list) => (value - Math.min(...list)) / (Math.max(...list) - Math.min(...list));
  const ys = found.points.map((p) => -p[1]);
  for (const time of [0.3, 0.7, 1.1, 1.6]) {
    const point = found.points.reduce((a, b) => (Math.abs(b[0] - left - time * scale) < Math.abs(a[0] - left - time * scale) ? b : a));
    check(near(part(-point[1], ys), part(rows.at("height", time), rows.height), 0.02), `it goes through the height at ${time}`);
  }
  check(left > 0 && right < found.width && first > 0, "and lies within the picture");
  const [png] = await Promise.all([tab.waitForEvent("download"), tab.click("#snapshot")]);
  check(readFileSync(await png.path()).subarray(1, 4).toString() === "PNG", "the view is saved as PNG");
}

// Nothing of the motion lies outside of the picture, and it reaches both sides or from top to bottom.
async function fills(tab) {
  for (const view of ["default", "front", "side", "top"]) {
    const ends = await tab.evaluate((name) => {
      page.view(name);
      const { width, height } = page.drawing.renderer;
      const at = page.drawing.outline.map(([p]) => page.drawing.pixel(p));
      const [x, y] = [at.map((p) => p[0]), at.map((p) => p[1])];
      return { left: Math.min(...x), right: width - Math.max(...x), top: Math.min(...y), bottom: height - Math.max(...y), width, height };
    }, view);
    const text = `${view}: ${JSON.stringify(ends)}`;
    check(ends.left > 0 && ends.right > 0 && ends.top > 40 && ends.bottom > 0, `the motion is in the picture, ${text}`);
    check(ends.left + ends.right < 0.2 * ends.width || ends.top + ends.bottom < 0.35 * ends.height, `and fills it, ${text}`);
  }
  await tab.evaluate(() => page.view("default"));
}

// Names of events stand above the frame, where no curve is.
async function namesOfEvents(tab) {
  const tops = await tab.evaluate(() => page.charts.map((c) => c.frame.top));
  check(tops.every((top) => top >= 24), `charts with events have room above: ${tops}`);
}

async function keys(tab) {
  await tab.locator("#scene").focus();
  const press = async (key) => {
    await tab.keyboard.press(key);
    return state(tab);
  };
  check((await press("End")).time === 2, "end is the last frame");
  check(near((await press("ArrowLeft")).time, 1.99, 1e-9), "left is a frame before");
  check(near((await press("Shift+ArrowLeft")).time, 1.89, 1e-9), "with shift a twentieth");
  check((await press("Home")).time === 0, "home is the first one");
  check((await press("Space")).playing, "space plays");
  check(!(await press("Space")).playing, "and pauses");
  const { speed } = await state(tab);
  check((await press("+")).speed > speed && (await press("-")).speed === speed, "plus and minus change the speed");
  const touch = Math.sqrt(0.4); // The ball falls 2 m with 10 m/s^2.
  await press("Home");
  check(near((await press(".")).time, touch, 1e-6), "a full stop goes to the first bounce");
  await press(".");
  check(near((await press(",")).time, touch, 1e-6), "a comma to the one before");
  const eye = () => tab.evaluate(() => page.drawing.toEye.map((x) => Math.round(x * 1e6) / 1e6).join());
  const views = [];
  for (const key of ["1", "2", "3", "4"]) {
    await press(key);
    views.push(await eye());
  }
  check(new Set(views).size === 4, "1 to 4 are four views");
  for (const [key, id] of [["t", "traces"], ["r", "arrows"], ["n", "names"]]) {
    const pressed = () => tab.getAttribute("#" + id, "aria-pressed");
    const before = await pressed();
    await press(key);
    check((await pressed()) !== before, `${key} switches ${id}`);
    await press(key);
  }
  await tab.evaluate(() => page.choose(0));
  await press("f");
  check((await tab.evaluate(() => page.drawing.follow)) === 0, "f follows what is chosen");
  await press("f");
  await press("Escape");
  check(!(await tab.isVisible("#readout")), "escape chooses nothing");
  await press("?");
  check(await tab.isVisible("#keys"), "a question mark lists the keys");
  await press("Escape");
}

// Every control has a name for users of screen readers.
export async function named(tab, page) {
  const nameless = await tab.evaluate(() =>
    [...document.querySelectorAll("button, select, input, canvas, iframe, [role=tab]")]
      .filter((e) => !(e.getAttribute("aria-label") || e.title || e.textContent.trim()))
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  check(nameless.length === 0, `all controls of ${page} have names: ${nameless}`);
}

async function panels(tab) {
  for (const [name, part] of [["Summary", "complete"], ["Events", "top"], ["Text", "constraint top"], ["Curves", "E"]]) {
    await tab.getByRole("tab", { name }).click();
    check((await tab.innerText("#panels")).includes(part), `${name} has ${part}`);
  }
}

export async function runPage() {
  model("swing.mbd", SWING);
  mbc("run", "swing.mbd", "-o", "swing.csv", "--report", "swing.html", "--quiet");
  const rows = table("swing.csv");
  const tab = await opened("swing.html");
  await plays(tab, rows);
  await scrubs(tab, rows);
  await plots(tab, rows);
  await picks(tab, rows);
  await zooms(tab);
  await fills(tab);
  await namesOfEvents(tab);
  await saves(tab, rows);
  await axes(tab);
  await keys(tab);
  await panels(tab);
  await named(tab, "a run");
  await tab.close();

  mbc("view", "swing.csv", "-o", "again.html", "--quiet");
  const again = await opened("again.html", { dark: true });
  check(await again.evaluate(() => page.drawing !== undefined), "a result has its picture");
  check((await again.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(18, 22, 28)", "dark where that is asked for");
  await again.close();

  const phone = await opened("swing.html", { width: 390, height: 800 });
  check(await phone.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), "nothing is wider than a phone");
  check(await phone.evaluate(() => [...document.querySelectorAll("#tools button, #player button, #tabs button")].every((b) => b.clientHeight >= 30)), "buttons are large enough for a finger");
  await phone.close();
}

// Tests a run that stopped, and rows without a model.
export async function otherPages() {
  model("none.csv", "time,x\r\n0,1\r\n1,2\r\n2,0\r\n");
  mbc("view", "none.csv", "-o", "none.html", "--quiet");
  const tab = await opened("none.html");
  check((await tab.innerText("#nothing")).startsWith("curves only"), "rows alone are curves, and the page says why");
  check((await tab.locator(".chart").count()) > 0, "and there are curves");
  check((await tab.evaluate(() => document.getElementById("side").clientWidth > 0.95 * innerWidth)), "which have the whole width");
  await tab.close();
}

const BODIES = `mbd 1
use bodies
param n: int = 20
gravity (0, 0, -1)
body b[i in 1..n](mass = 1, inertia = cuboid_inertia(1, 0.1, 0.2, 0.3)) at (i, 0, 0) spinning (1, 0.1*i, 2) moving (0.1*i, 1, 3)
output E = energy.total
simulate s { time = 0 .. 10 step 0.001; integrator = rk4 }
`;

// Measures a page of twenty bodies in 10,000 frames. The figures are not asserted, because they depend on other load.
export async function large() {
  model("bodies.mbd", BODIES);
  mbc("view", "bodies.mbd", "-o", "bodies.html", "--quiet");
  const tab = await opened("bodies.html");
  const costs = await tab.evaluate(() => {
    const all = [];
    for (let k = 0; k < 200; ++k) {
      const begin = performance.now();
      page.seek(page.first + ((page.last - page.first) * k) / 200);
      all.push(performance.now() - begin);
    }
    return { frames: page.run.frames, ms: all.sort((a, b) => a - b)[100] };
  });
  console.log(`pages: ${costs.frames} frames of twenty bodies: opened in ${tab.openedIn} ms, a frame takes ${costs.ms.toFixed(2)} ms of script`);
  check(costs.ms < 100 && tab.openedIn < 15000, "a page of twenty bodies can be used");
  await tab.close();
}

const LEGS = `mbd 1
/// A top on legs that reach far
/// out. What follows is not shown.
gravity (0, 0, -10)
param far = 3
body top(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 1) spinning (0, 0, 1)
point foot on top at (far, 0, -far)
point other on top at (-far, 0, -far)
output vast = 1e43*(1 + t), close = 1 + 1e-9*t
simulate s { time = 0 .. 1 step 0.1; integrator = rk4; plot close }
`;

// Points of bodies are in the picture, numbers beyond 32 bits have a curve, and many digits of an axis do not cover its
// title.
export async function extremes() {
  model("legs.mbd", LEGS);
  mbc("view", "legs.mbd", "-o", "legs.html", "--quiet");
  const tab = await opened("legs.html");
  check((await tab.textContent("#what")) === "A top on legs that reach far out.", "the head says the first sentence");
  const found = await tab.evaluate(() => {
    const { run, drawing } = page;
    const feet = run.scene.points.map((p) => drawing.pixel(drawing.endAt(p.at, drawing.now)));
    const chart = page.charts.find((c) => c.curves[0].name === "close");
    const g = document.createElement("canvas").getContext("2d");
    g.font = "11px system-ui, sans-serif";
    const labels = chart.labels(g, [1, 1 + 5e-10, 1 + 1e-9]);
    return {
      inside: feet.length === 2 && feet.every(([x, y]) => x > 0 && y > 0 && x < drawing.canvas.clientWidth && y < drawing.canvas.clientHeight),
      vast: [...run.series.find((s) => s.name === "vast").values].pop(),
      labels,
      short: chart.labels(g, [0, 0.5, 1]),
    };
  });
  check(found.inside, "both feet are in the picture");
  check(near(found.vast / 2e43, 1, 1e-6), `a value of 2e43 is ${found.vast}`);
  check(found.labels.base === "1" && found.labels.texts.join() === "0,5e-10,1e-9", `labels count from ${found.labels.base}: ${found.labels.texts}`);
  check(found.short.base === "" && found.short.texts.join() === "0,0.5,1", `short labels stay: ${found.short.texts}`);
  await tab.close();
}

const EXAMPLES = ["pendulum", "walker", "intermediate_axis", "hinge_four_bar", "slider_crank_joints", "bouncing_ball", "suspension", "solar_system", "rolling_disc", "tensegrity"];

export async function examples(source) {
  const times = [];
  for (const [k, name] of EXAMPLES.entries()) {
    const block = name === "walker" ? ["walk"] : [];
    mbc("view", `${source}/examples/${name}.mbd`, ...block, "-o", `${name}.html`, "--output-every", "4", "--quiet");
    const tab = await opened(`${name}.html`, { dark: k % 2 === 1, ...(k % 3 === 2 ? { width: 390, height: 800 } : {}) });
    const moved = await tab.evaluate(() => {
      page.seek((page.first + page.last) / 2);
      return page.drawing && page.drawing.now.some((pose) => pose.at.every(Number.isFinite));
    });
    check(moved, `${name} is drawn`);
    times.push(tab.openedIn);
    await tab.close();
  }
  console.log(`pages: ${times.length} examples: opened in ${Math.min(...times)} to ${Math.max(...times)} ms`);
}
