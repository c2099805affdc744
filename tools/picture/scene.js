// SPDX-License-Identifier: Apache-2.0
// The picture of a model: what the scene of the run says is turned into surfaces and lines, and the camera around it.

// Colours of parts, one after the other; lighter ones on a dark page.
const kColours = {
  light: ['#3b7dd8', '#e07b39', '#3a9d6e', '#b0527f', '#7a62c9', '#c9a227', '#2a9fb0', '#a35a3c'],
  dark: ['#6ea8ff', '#f0a060', '#5cc492', '#d987ad', '#a693ee', '#e0c050', '#55c6d6', '#cf8a68']
};
const kDarkScheme = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => kDarkScheme.matches;
const palette = () => isDark() ? kColours.dark : kColours.light;

function rgba(text, alpha = 1) {
  const n = parseInt(text.slice(1), 16);
  return [(n >> 16 & 255) / 255, (n >> 8 & 255) / 255, (n & 255) / 255, alpha];
}

// A colour of the style sheet. It is remembered, since to ask for it makes the browser work out all that changed meanwhile.
const kStyleColours = {true: new Map(), false: new Map()};
function cssColour(name) {
  const known = kStyleColours[isDark()];
  if (!known.has(name)) known.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return known.get(name);
}

// 1, 2 or 5 times a power of ten, at or below x.
function roundBelow(x) {
  const power = 10 ** Math.floor(Math.log10(x)), r = x / power;
  return power * (r >= 5 ? 5 : r >= 2 ? 2 : 1);
}

// Makes a box, given by its corners, contain a ball.
function extend(low, high, p, r = 0) {
  for (let k = 0; k < 3; ++k) {
    low[k] = Math.min(low[k], p[k] - r);
    high[k] = Math.max(high[k], p[k] + r);
  }
}

const kAngle = 0.6;  // of the camera, from bottom to top

// Of balls, given by centre and radius, those that are the outermost ones in one of many directions, which lie on a
// spiral around the sphere.
function outermost(balls, directions = 160) {
  const found = new Set();
  for (let k = 0; k < directions; ++k) {
    const z = 1 - (2 * k + 1) / directions, r = Math.sqrt(1 - z * z), turn = k * Math.PI * (3 - Math.sqrt(5));
    const d = [r * Math.cos(turn), r * Math.sin(turn), z];
    let best = 0, most = -Infinity;
    balls.forEach(([p, radius], i) => {
      const reach = p[0] * d[0] + p[1] * d[1] + p[2] * d[2] + radius;
      if (reach > most) [most, best] = [reach, i];
    });
    found.add(best);
  }
  return [...found].map(i => balls[i]);
}

// The cosines and sines of n + 1 equal steps of an angle.
const arcPoints = (n, angle) => Array.from({length: n + 1}, (_, k) => [Math.cos(angle * k / n), Math.sin(angle * k / n)]);

class SceneDrawing {
  constructor(run, canvas) {
    this.run = run;
    this.scene = run.scene;
    this.renderer = new Renderer(canvas);
    this.canvas = canvas;
    this.chosen = -1;
    this.follow = -1;
    this.showPaths = this.scene.parts.length <= 12;
    this.meshes = {
      ellipsoid: this.renderer.mesh(ballMesh()), cylinder: this.renderer.mesh(cylinderMesh()),
      cone: this.renderer.mesh(coneMesh()), box: this.renderer.mesh(boxMesh())
    };
    this.torus = new Map();
    this.axes();
    this.limitUnknown();
    this.measure();
    this.makeGrid();
    this.measureArrows();
    this.setView('default');
    this.renderer.finish();
  }

  // The longest arrow is a fifth of the picture; a peak that lasts a hundredth of the time makes the others no shorter.
  measureArrows() {
    const {run, scene} = this, sizes = [], step = Math.max(1, Math.floor(run.frames / 500));
    scene.arrows.forEach((a, k) => {
      for (let f = 0; f < run.frames; f += step) {
        const size = norm(arrowOf(run, k, f, 0));
        if (size > 0 && Number.isFinite(size)) sizes.push(size);
      }
    });
    sizes.sort((a, b) => a - b);
    this.largestForce = sizes.length ? sizes[Math.floor(0.99 * (sizes.length - 1))] : 0;
    this.perForce = this.largestForce > 0 ? 0.2 * this.size / this.largestForce : 0;
    this.showArrows = this.perForce > 0 && scene.arrows.length <= 12;
  }

  // The directions of the picture: up, and to the right in the plane that is looked at.
  axes() {
    const {space, gravity} = this.scene;
    this.up = unit(this.scene.up);
    if (space === 1 && !gravity) this.up = [0, 1, 0];
    this.flat = space < 3;
    this.front = this.flat ? [0, 0, 1] : Math.abs(this.up[1]) < 0.9 ? [0, -1, 0] : [0, 0, 1];  // towards the eye
    if (!this.flat) this.front = unit(sub(this.front, scaled(this.up, dot(this.front, this.up))));
    this.right = cross(this.up, this.front);
  }

  // The box of all places in all frames, and with it the sizes of what has none of its own.
  measure() {
    const {run, scene} = this, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const include = (p, r) => extend(low, high, p, r);
    const step = Math.max(1, Math.floor(run.frames / 300));
    const reach = scene.parts.map((p, k) => this.reachOf(p, k));
    const hiddenEnds = scene.links.flatMap(l => [l.a, l.b]).filter(end => end.part >= 0 && scene.parts[end.part].hidden);
    const balls = [], ball = (p, r = 0) => {
      include(p, r);
      balls.push([p, r]);
    };
    for (let f = 0; f < run.frames; f += step) {
      const poses = this.poses(f, 0);
      poses.forEach((p, k) => scene.parts[k].hidden || ball(this.centreOf(k, poses), reach[k]));
      for (const p of scene.points) ball(this.endAt(p.at, poses));
      for (const end of hiddenEnds) ball(this.endAt(end, poses));
    }
    for (const l of scene.links)
      for (const end of [l.a, l.b])
        if (end.part < 0) ball(end.at);
    if (!Number.isFinite(low[0])) ball([0, 0, 0], 1);
    const size = norm(sub(high, low));
    if (!(size > 0)) include(low.map((x, k) => (x + high[k]) / 2), 0.5);
    this.low = low;
    this.high = high;
    this.outline = outermost(balls);
    this.depths();
    this.size = norm(sub(high, low));
    this.middle = scaled(add(low, high), 0.5);
    this.thin = this.size * 0.006;
    const heaviest = Math.max(...scene.parts.filter(p => p.kind === 'particle').map(p => p.mass), 0);
    this.radii = scene.parts.map(p => p.kind === 'particle' && heaviest > 0 ?
        this.size * Math.max(0.011, 0.022 * Math.cbrt(Math.max(p.mass, 0) / heaviest)) / Math.max(1, scene.parts.length / 300) :
        this.size * 0.008);
  }

  // Bodies of unknown shape are no larger than a quarter of the motion: an ellipsoid of inertia may dwarf everything.
  limitUnknown() {
    const {run, scene} = this, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const step = Math.max(1, Math.floor(run.frames / 100)), include = p => extend(low, high, p);
    for (let f = 0; f < run.frames; f += step) {
      const poses = this.poses(f, 0);
      poses.forEach((p, k) => scene.parts[k].hidden || include(this.centreOf(k, poses)));
      for (const p of scene.points) include(this.endAt(p.at, poses));
      for (const l of scene.links) [l.a, l.b].forEach(e => include(this.endAt(e, poses)));
    }
    const most = 0.12 * norm(sub(high, low));
    for (const p of scene.parts) {
      if (!p.shape || p.shape.known) continue;
      const large = Math.max(p.shape.size[0], p.shape.size[1], p.shape.kind === 'ellipsoid' ? p.shape.size[2] : 0);
      p.shape.drawn = most > 1e-6 * large && large > most ? most / large : 1;
      p.shape.size = p.shape.size.map(x => x * p.shape.drawn);
    }
  }

  // In the plane the smaller body lies before the larger one, rods and springs before all.
  depths() {
    const order = this.scene.parts.map((p, k) => k).sort((a, b) => this.reachOf(this.scene.parts[b]) - this.reachOf(this.scene.parts[a]));
    this.depth = [];
    order.forEach((k, i) => this.depth[k] = this.flat ? (i - order.length) / order.length * 0.04 : 0);
  }

  reachOf(part) {
    const s = part.shape;
    if (!s) return 0;
    if (s.kind === 'box') return norm(s.size) / 2;
    if (s.kind === 'cylinder') return Math.hypot(s.size[0], s.size[1] / 2);
    if (s.kind === 'torus') return s.size[0] + s.size[1];
    return Math.max(...s.size);
  }

  // ---- what stays: grid and paths
  makeGrid() {
    const pairs = [], {up, size} = this;
    const step = this.gridStep = roundBelow(size / 8), cells = Math.ceil(size / step) * (this.flat ? 2 : 1);
    const heights = [dot(this.low, up), dot(this.high, up)].sort((a, b) => a - b);
    let a = this.right, b = cross(up, a), origin = [0, 0, 0];
    if (this.flat) {
      b = up;
      origin = scaled(this.front, -this.size * 0.06);
    } else {
      const floor = heights[0] > -0.02 * size && heights[0] < 0.5 * size ? 0 : heights[0] - 0.04 * size;
      origin = scaled(up, floor);
    }
    const snap = d => Math.round(dot(this.middle, d) / step) * step;
    const centre = add(origin, add(scaled(a, snap(a)), scaled(b, snap(b))));
    for (let k = -cells; k <= cells; ++k)
      for (const [d, e] of [[a, b], [b, a]]) {
        const p = add(centre, scaled(d, k * step));
        pairs.push([add(p, scaled(e, -cells * step)), add(p, scaled(e, cells * step))]);
      }
    this.grid = this.renderer.lineBuffer(pairs);
  }

  makePaths() {
    const {run, scene} = this, most = Math.max(200, Math.floor(60000 / Math.max(1, scene.parts.length)));
    this.pathStep = Math.max(1, Math.ceil(run.frames / Math.min(most, 3000)));
    return scene.parts.length > 300 ? [] : scene.parts.map((p, k) => {
      const pairs = [], at = f => this.centreOf(k, {[k]: poseOf(run, k, f, 0)});
      let before = at(0);
      for (let f = this.pathStep; f < run.frames; f += this.pathStep) {
        const here = at(f);
        pairs.push([before, here]);
        before = here;
      }
      return this.renderer.lineBuffer(pairs);
    });
  }

  // ---- the camera: turns about a target
  setView(name) {
    const up = this.up, front = this.front, right = this.right;
    const mixed = this.flat ? front : unit(add(add(scaled(front, 1), scaled(right, 0.55)), scaled(up, 0.45)));
    this.toEye = {default: mixed, front, side: right, top: add(up, scaled(front, 1e-3))}[name] || mixed;
    this.toEye = unit(this.toEye);
    this.target = this.middle;
    this.reach = 1;
    this.home = true;
  }

  orbit(dx, dy) {
    if (this.flat) return this.pan(dx, dy);
    const up = this.up;
    let height = Math.asin(Math.max(-1, Math.min(1, dot(this.toEye, up))));
    const level = unit(sub(this.toEye, scaled(up, dot(this.toEye, up)))), side = cross(up, level);
    const angle = -dx * 0.008;
    height = Math.max(-1.55, Math.min(1.55, height + dy * 0.008));
    const about = add(scaled(level, Math.cos(angle)), scaled(side, Math.sin(angle)));
    this.toEye = add(scaled(about, Math.cos(height)), scaled(up, Math.sin(height)));
  }

  pan(dx, dy) {
    const c = this.camera(), perPixel = 2 * c.half / this.renderer.height;
    this.target = add(this.target, add(scaled(c.right, -dx * perPixel), scaled(c.top, dy * perPixel)));
    if (this.follow >= 0) this.offset = add(this.offset || [0, 0, 0], add(scaled(c.right, -dx * perPixel), scaled(c.top, dy * perPixel)));
  }

  zoom(factor) { this.reach = Math.max(1e-3, Math.min(50, this.reach * factor)); }

  // The view in which the motion fills the picture but for the buttons above and the scale below: half of the height
  // that is seen at the target, and how far the target lies from the middle. A point x to the right, y above and z in
  // front of the target is seen if |y| <= (half - z tan(angle/2)) times the part of the height that is free.
  fitted(right, top, back, aspect) {
    const {width, height} = this.renderer, key = [...back, width, height].join();
    if (this.fit && this.fit.key === key) return this.fit;
    const slope = this.flat ? 0 : Math.tan(kAngle / 2), free = {x: Math.max(0.6, 1 - 32 / Math.max(1, width)), y: Math.max(0.6, 1 - 76 / Math.max(1, height))};
    const balls = this.outline.map(([p, r]) => ({x: dot(sub(p, this.middle), right), y: dot(sub(p, this.middle), top), z: slope * (dot(sub(p, this.middle), back) + r), r}));
    const needs = (axis, sign, shift, part) => Math.max(...balls.map(b => (sign * (b[axis] - shift) + b.r) / part + b.z));
    // The target moves until both sides need the same room.
    const centred = (axis, part) => {
      let shift = 0;
      for (let k = 0; k < 4; ++k) shift += part * (needs(axis, 1, shift, part) - needs(axis, -1, shift, part)) / 2;
      return [shift, needs(axis, 1, shift, part)];
    };
    const [x, wide] = centred('x', aspect * free.x), [y, high] = centred('y', free.y), half = Math.max(wide, high, 0.1 * this.size);
    const lower = 10 / Math.max(1, height) * 2 * half;  // the buttons are higher than the scale
    return this.fit = {key, half, shift: add(scaled(right, x), scaled(top, y + lower))};
  }

  camera() {
    const {width, height} = this.renderer, aspect = width / Math.max(1, height), back = this.toEye;
    const right = unit(cross(Math.abs(dot(this.up, back)) > 0.9999 ? this.front : this.up, back)), top = cross(back, right);
    const fit = this.fitted(right, top, back, aspect), half = fit.half * this.reach, far = half / Math.tan(kAngle / 2);
    const target = this.followed || add(this.target, fit.shift), eye = add(target, scaled(back, far));
    const view = lookAt(eye, target, top), depth = this.size * 3 * Math.max(1, this.reach);
    const projection = this.flat ? parallel(half, aspect, far - depth, far + depth) :
                                   perspective(kAngle, aspect, Math.max(far / 200, far - depth), far + depth);
    return {matrix: multiplied(projection, view), eye, back, right, top, up: this.flat ? top : this.up, half, flat: this.flat};
  }

  // ---- a frame
  poses(frame, fraction) { return this.scene.parts.map((p, k) => poseOf(this.run, k, frame, fraction)); }

  endAt(end, poses) {
    return end.part < 0 ? end.at : add(poses[end.part].at, turned(poses[end.part].turn, end.at));
  }

  draw(frame, fraction) {
    const poses = this.now = this.poses(frame, fraction), colours = palette();
    this.followed = this.follow >= 0 ? add(this.centreOf(this.follow, poses), this.offset || [0, 0, 0]) : null;
    this.renderer.fit();
    const camera = this.shown = this.camera();
    this.renderer.begin(camera);
    this.renderer.drawLines(this.grid, rgba(cssColour('--ground'), 0.55), 0.6);
    this.drawAxes(camera);
    this.drawPaths(frame, fraction, colours);
    this.drawLinks(poses);
    this.drawPoints(poses);
    this.drawArrows(poses, frame, fraction);
    const clear = p => p.shape && !p.shape.known && p.kind === 'body';
    const draw = (p, k) => this.drawPart(p, k, poses[k], rgba(colours[k % colours.length], clear(p) ? 0.55 : 1));
    this.scene.parts.forEach((p, k) => clear(p) || draw(p, k));
    this.scene.parts.forEach((p, k) => clear(p) && draw(p, k));
  }

  centreOf(part, poses) {
    const p = this.scene.parts[part], pose = poses[part];
    return p.shape ? add(pose.at, turned(pose.turn, p.shape.centre)) : pose.at;
  }

  drawAxes() {
    const l = this.gridStep, names = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].slice(0, this.flat ? 2 : 3);
    names.forEach((d, k) => this.renderer.drawPairs([[[0, 0, 0], scaled(d, l)]], rgba(['#d0483f', '#3f9a4a', '#3f6fd0'][k]), 1.2));
  }

  drawPaths(frame, fraction, colours) {
    if (!this.showPaths) return;
    if (!this.paths) this.paths = this.makePaths();  // many megabytes where there are many parts
    this.paths.forEach((path, k) => {
      if (this.scene.parts[k].kind === 'place') return;
      const done = Math.min(Math.floor((frame + fraction) / this.pathStep), path.count), colour = colours[k % colours.length];
      this.renderer.drawLines(path, rgba(colour, 0.9), 1.1, done);
      this.renderer.drawLines(path, rgba(colour, 0.35), 0.9, path.count - done, done);
    });
  }

  drawLinks(poses) {
    const r = this.renderer, steel = rgba(cssColour('--fixed')), springs = [], forces = [];
    for (const l of this.scene.links) {
      const a = this.endAt(l.a, poses), b = this.endAt(l.b, poses);
      if (l.a.part < 0) this.anchor(a);
      if (l.b.part < 0 && l.kind !== 'joint') this.anchor(b);
      if (l.kind === 'rod') r.draw(this.meshes.cylinder, between(a, b, this.thin * 0.55), steel);
      else if (l.kind === 'joint') r.draw(this.meshes.ellipsoid, placed(a, [1, 0, 0, 0], [1, 1, 1].map(() => this.thin * 1.5)), steel);
      else if (l.kind === 'spring') springs.push(...this.coil(a, b));
      else forces.push(...this.dashes(a, b));
    }
    r.drawPairs(springs, rgba(cssColour('--accent')), 1.1);
    r.drawPairs(forces, steel, 1.1);
  }

  // Forces point away from where they act; what pushes against a part ends there.
  drawArrows(poses, frame, fraction) {
    if (!this.showArrows) return;
    const r = this.renderer, head = this.thin * 3.2;
    this.scene.arrows.forEach((a, k) => {
      const force = arrowOf(this.run, k, frame, fraction), size = norm(force), length = Math.min(size * this.perForce, 0.6 * this.size);
      if (!(length > this.thin)) return;
      const from = add(this.endAt(a.at, poses), scaled(this.front, this.flat ? 0.05 * this.size : 0)), along = scaled(force, 1 / size);
      const tip = add(from, scaled(along, length)), neck = add(from, scaled(along, Math.max(0, length - head)));
      const colour = rgba(cssColour(a.kind === 'force' ? '--force' : '--reaction'));
      r.draw(this.meshes.cylinder, between(from, neck, this.thin * 0.45), colour, 0);
      r.draw(this.meshes.cone, tapered(neck, tip, this.thin * 1.25), colour, 0);
    });
  }

  anchor(at) {
    const s = this.thin * 2.6;
    this.renderer.draw(this.meshes.box, placed(at, [1, 0, 0, 0], [s, s, s]), rgba(cssColour('--fixed')), 0);
  }

  coil(a, b) {
    const d = sub(b, a), length = norm(d), turns = 9, steps = this.flat ? turns * 2 : turns * 10, radius = this.thin * 1.9;
    if (!(length > 0)) return [];
    const x = this.flat ? cross([0, 0, 1], scaled(d, 1 / length)) : normalTo(d), y = cross(scaled(d, 1 / length), x), pairs = [];
    const at = k => {
      const s = k / steps, p = add(a, scaled(d, 0.12 + 0.76 * s)), angle = 2 * Math.PI * turns * s;
      const u = this.flat ? (k === 0 || k === steps ? 0 : k % 2 ? 1 : -1) : k === 0 || k === steps ? 0 : Math.cos(angle);
      return add(p, add(scaled(x, radius * u), scaled(y, this.flat || k === 0 || k === steps ? 0 : radius * Math.sin(angle))));
    };
    pairs.push([a, at(0)], [at(steps), b]);
    for (let k = 0; k < steps; ++k) pairs.push([at(k), at(k + 1)]);
    return pairs;
  }

  dashes(a, b) {
    const d = sub(b, a), n = 9, pairs = [];
    for (let k = 0; k < n; k += 2) pairs.push([add(a, scaled(d, k / n)), add(a, scaled(d, (k + 1) / n))]);
    return pairs;
  }

  // Points of a body that something holds are joined with its mass centre, so that a bar looks like one.
  drawPoints(poses) {
    for (const p of this.scene.points) {
      if (p.at.part < 0) continue;
      const part = this.scene.parts[p.at.part], at = this.endAt(p.at, poses), centre = this.centreOf(p.at.part, poses);
      const colour = rgba(palette()[p.at.part % palette().length]);
      if (part.kind !== 'body' || norm(sub(at, centre)) < this.thin) continue;
      this.renderer.draw(this.meshes.cylinder, between(centre, at, this.thin * 0.8), colour);
    }
  }

  drawPart(part, k, pose, colour) {
    const r = this.renderer, chosen = k === this.chosen;
    if (chosen) colour = colour.map((c, i) => i < 3 ? Math.min(1, c * 0.6 + 0.45) : c);
    const s = part.shape;
    if (!s || part.kind === 'place') {
      const size = part.kind === 'place' ? this.thin : this.radii[k];
      if (part.kind === 'place' && !part.name) return;
      return r.draw(this.meshes.ellipsoid, placed(pose.at, pose.turn, [size, size, size]), colour);
    }
    const at = add(pose.at, turned(pose.turn, s.centre)), turn = product(pose.turn, s.axes);
    const centre = add(at, scaled(this.front, this.depth[k] * this.size));
    const least = this.thin * 0.7, size = s.size.map(x => Math.max(x, least));
    if (s.kind === 'box') return r.draw(this.meshes.box, placed(centre, turn, size), colour);
    if (s.kind === 'cylinder') {
      r.draw(this.meshes.cylinder, placed(centre, turn, [size[0], size[0], size[1]]), colour);
      const [x, z] = [size[0], size[1] / 2 + this.thin * 0.05];
      return this.mark(centre, turn, [[0, 0, -z], [x, 0, -z], [x, 0, z], [0, 0, z]], colour);
    }
    if (s.kind === 'capsule') {
      r.draw(this.meshes.cylinder, placed(centre, turn, [size[0], size[0], s.size[1]]), colour);
      for (const end of [-0.5, 0.5]) {
        const there = add(centre, turned(turn, [0, 0, end * s.size[1]]));
        r.draw(this.meshes.ellipsoid, placed(there, turn, [size[0], size[0], size[0]]), colour);
      }
      const half = arcPoints(12, Math.PI).map(([c, d]) => [size[0] * d, 0, s.size[1] / 2 + size[0] * c]);  // from a pole to the equator and on
      return this.mark(centre, turn, [...half.slice(0, 7), ...half.slice(0, 7).reverse().map(p => [p[0], 0, -p[2]])], colour);
    }
    if (s.kind === 'cone') {
      r.draw(this.meshes.cone, placed(centre, turn, [size[0], size[0], size[1]]), colour);
      return this.mark(centre, turn, [[0, 0, -0.25 * size[1] - this.thin * 0.05], [size[0], 0, -0.25 * size[1] - this.thin * 0.05], [0, 0, 0.75 * size[1]]], colour);
    }
    if (s.kind === 'torus') {
      r.draw(this.ring(s), placed(centre, turn, [size[0], size[0], size[0]]), colour);
      const tube = Math.max(s.size[1], 0.03 * size[0]);
      return this.mark(centre, turn, arcPoints(24, 2 * Math.PI).map(([c, d]) => [size[0] + tube * c, 0, tube * d]), colour);
    }
    r.draw(this.meshes.ellipsoid, placed(centre, turn, size), colour);
    this.belts(centre, turn, size);
  }

  // A line on what is round, from point to point of its surface, else nobody sees it turn.
  mark(centre, turn, points, colour) {
    const dark = [...colour.slice(0, 3).map(c => c * 0.55), 1], at = points.map(p => add(centre, turned(turn, scaled(p, 1.003))));
    this.renderer.drawPairs(at.slice(1).map((p, k) => [at[k], p]), dark, 1.3);
  }

  belts(centre, turn, size) {
    const pairs = [], n = 48, circle = (i, j) => k => {
      const p = [0, 0, 0], angle = 2 * Math.PI * k / n;
      p[i] = 1.003 * size[i] * Math.cos(angle);
      p[j] = 1.003 * size[j] * Math.sin(angle);
      return add(centre, turned(turn, p));
    };
    for (const [i, j] of [[0, 1], [0, 2]]) {
      const at = circle(i, j);
      for (let k = 0; k < n; ++k) pairs.push([at(k), at(k + 1)]);
    }
    this.renderer.drawPairs(pairs, [0, 0, 0, 0.35], 0.6);
  }

  ring(shape) {
    const tube = Math.max(shape.size[1] / shape.size[0], 0.03), key = tube.toFixed(3);
    if (!this.torus.has(key)) this.torus.set(key, this.renderer.mesh(torusMesh(tube)));
    return this.torus.get(key);
  }

  // ---- from places to pixels
  pixel(p) {
    const m = this.shown.matrix, w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    const x = (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w, y = (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w;
    return [(x + 1) / 2 * this.renderer.width, (1 - y) / 2 * this.renderer.height, w];
  }

  // The part at a pixel: the nearest to the eye of those whose ball is hit, else the nearest within a fingertip.
  partAt(x, y, tip = 16) {
    const perPixel = 2 * this.shown.half / this.renderer.height;
    let best = -1, score = Infinity;
    this.scene.parts.forEach((p, k) => {
      if (p.kind === 'place' && !p.name) return;
      const [px, py, w] = this.pixel(this.centreOf(k, this.now)), away = Math.hypot(px - x, py - y);
      const ball = Math.max(this.reachOf(p) * 0.6, this.radii[k]) / perPixel;
      if (away > Math.max(ball, tip)) return;
      const s = away / Math.max(ball, tip) + 1e-3 * w / this.size;
      if (s < score) [score, best] = [s, k];
    });
    return best;
  }
}
