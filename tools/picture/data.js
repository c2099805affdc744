// SPDX-License-Identifier: Apache-2.0
// The data of a run as the page holds it: JSON with numbers in base64 (tools/picture/page.h says how).
'use strict';

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text).buffer;  // browsers before 2025 have none
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
  return bytes.buffer;
}

function readRun(text) {
  const run = JSON.parse(text);
  run.times = new Float64Array(bytesOf(run.times));
  run.poses = columnsOf(run, run.poses);
  run.arrows = columnsOf(run, run.arrows);
  for (const s of run.series) {
    const values = new Float32Array(bytesOf(s.data));
    s.values = s.scale ? Float64Array.from(values, v => v * s.scale) : values;
  }
  for (const s of run.series) delete s.data;
  addLoads(run);
  return run;
}

// How large forces and reactions are, as curves: made of their arrows when one is asked for.
function addLoads(run) {
  const {scene} = run, partOf = a => a.at.part >= 0 ? scene.parts[a.at.part].name : '';
  scene.arrows.forEach((a, k) => {
    const curve = {name: a.kind + ' ' + a.name + (partOf(a) ? ' on ' + partOf(a) : ''), unit: scene.units ? 'N' : '', group: 'load', every: 1};
    let made = null;
    Object.defineProperty(curve, 'values', {
      enumerable: true,
      get: () => made = made || Float32Array.from({length: run.frames}, (_, frame) => Math.hypot(...[0, 1, 2].map(i => columnValue(run, run.arrows[3 * k + i], frame))))
    });
    run.series.push(curve);
  });
}

// Of 16-bit numbers 1 to 65535 lie within the range of the column; 0 is what has no value.
function columnsOf(run, {columns, data}) {
  const block = new Uint16Array(bytesOf(data));
  return columns.map(
      c => c.column === undefined ?
          {value: c.value === null ? NaN : c.value, step: 0} :
          {value: c.from, step: (c.to - c.from) / 65534, at: block.subarray(c.column * run.frames, (c.column + 1) * run.frames)});
}

function columnValue(run, c, frame) {
  if (!c.at) return c.value;
  const raw = c.at[Math.min(frame, run.frames - 1)];
  return raw === 0 ? NaN : c.value + c.step * (raw - 1);
}

// The frame at or before a time, and how far it is to the next one (0 to 1).
function frameAt(run, time) {
  const t = run.times;
  let low = 0, high = t.length - 1;
  if (high < 1 || time <= t[0]) return [0, 0];
  if (time >= t[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  return [low, (time - t[low]) / (t[high] - t[low])];
}

const kPose = 7;

function poseValue(run, column, frame) { return columnValue(run, run.poses[column], frame); }

// An arrow between two frames; where one of them has none, as the other one has it.
function arrowOf(run, arrow, frame, fraction) {
  return [0, 1, 2].map(i => {
    const c = run.arrows[3 * arrow + i], a = columnValue(run, c, frame), b = fraction > 0 ? columnValue(run, c, frame + 1) : a;
    return Number.isNaN(b) ? a : a + (b - a) * fraction;
  });
}

// Place and orientation of a part between two frames; a quaternion and its opposite are the same turn.
function poseOf(run, part, frame, fraction) {
  const first = part * kPose, a = [], b = [];
  for (let k = 0; k < kPose; ++k) {
    a.push(poseValue(run, first + k, frame));
    b.push(fraction > 0 ? poseValue(run, first + k, frame + 1) : a[k]);
  }
  const dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6], sign = dot < 0 ? -1 : 1;
  const mix = (k, s) => a[k] + (s * b[k] - a[k]) * fraction;
  const q = [mix(3, sign), mix(4, sign), mix(5, sign), mix(6, sign)];
  const length = Math.hypot(...q) || 1;
  return {at: [mix(0, 1), mix(1, 1), mix(2, 1)], turn: q.map(x => x / length)};
}

// A curve at a time, straight between the frames that were kept of it.
function seriesAt(run, series, time) {
  const [frame, fraction] = frameAt(run, time), n = series.values.length;
  const place = (frame + fraction) / series.every, k = Math.min(Math.floor(place), n - 1);
  const next = Math.min(k + 1, n - 1);
  return series.values[k] + (series.values[next] - series.values[k]) * (place - k);
}

// Four digits, or what it takes; no noise behind them.
function shown(value, digits = 5) {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(digits - 2, 1)).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(digits)));
}

function withUnit(text, unit) { return unit && unit !== '1' ? text + '\u202f' + unit : text; }
