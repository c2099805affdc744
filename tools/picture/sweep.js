// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: its rows as lines over one of the names varied or as a map over two of them; a click opens a
// member, whose motion is a page of its own within.

function readSweep(text) {
  const sweep = JSON.parse(text);
  sweep.values = new Float64Array(bytesOf(sweep.values));
  sweep.recorded = new Float64Array(bytesOf(sweep.recorded));
  sweep.status = new Uint8Array(bytesOf(sweep.status));
  return sweep;
}

// From 0 to 1 as colours whose lightness rises evenly, so that they can be told apart without their hue. OKLab to sRGB
// as in B. Ottosson, "A perceptual color space for image processing" (2020).
function rampColour(t) {
  const dark = isDark(), L = (dark ? 0.4 : 0.32) + 0.56 * t, hue = (285 - 190 * t) * Math.PI / 180, chroma = 0.13 - 0.01 * t;
  const a = chroma * Math.cos(hue), b = chroma * Math.sin(hue);
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3, m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  ];
  const srgb = c => c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
  return 'rgb(' + linear.map(c => Math.round(255 * srgb(Math.min(1, Math.max(0, c))))).join(' ') + ')';
}

const kMostLines = 12;  // of which each can be followed

class SweepPage {
  constructor(sweep) {
    this.sweep = sweep;
    this.record = 0;
    this.chosen = 0;  // from 0
    this.across = sweep.varied.reduce((best, v, k) => v.count > sweep.varied[best].count ? k : best, 0);
    const others = sweep.varied.map((v, k) => k).filter(k => this.lead(k) !== this.lead(this.across) && sweep.varied[k].count > 1);
    this.along = others.length ? others.reduce((a, b) => sweep.varied[b].count > sweep.varied[a].count ? b : a) : -1;
    this.asMap = this.along >= 0 && this.mappable(this.across) && this.mappable(this.along) && sweep.varied[this.along].count > 4 && sweep.varied[this.across].count > 4;
    this.fixed = sweep.varied.map(() => 0);
    this.canvas = byId('members');
    this.header();
    this.choices();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(byId('plane'));
    matchMedia('(prefers-color-scheme: dark)').onchange = () => this.show();
    this.show();
    this.choose(this.firstWithMotion(), true);
  }

  header() {
    const {sweep} = this, name = sweep.file === '-' ? 'model' : sweep.file.split('/').pop();
    byId('name').textContent = name + (sweep.name || sweep.simulation ? ' · ' + (sweep.name || sweep.simulation) : '');
    byId('what').textContent = 'sweep of ' + sweep.varied.map(v => v.name).join(', ');
    const failed = sweep.status.reduce((n, s) => n + (s > 0 ? 1 : 0), 0), made = sweep.made < sweep.members ? sweep.made + ' of ' : '';
    byId('state').textContent = made + sweep.members + ' members' + (failed ? ', ' + failed + ' failed' : '') +
        (sweep.shown < sweep.made ? '; this page holds the first ' + sweep.shown : '');
    byId('state').classList.toggle('bad', failed > 0);
    byId('summary').textContent = sweep.summary;
  }

  // ---- members and their places
  // Of a member, the index of its value of each name; the last name changes fastest.
  indices(member) {
    const out = [];
    for (let k = this.sweep.varied.length - 1; k >= 0; --k) {
      const {count} = this.sweep.varied[k];
      out[k] = member % count;
      member = Math.floor(member / count);
    }
    return out;
  }

  // What is drawn is drawn together: the index of its first name is that of all.
  lead(name) { return this.sweep.varied[name].drawn ? this.sweep.varied.findIndex(v => v.drawn) : name; }
  countOf(name) { return this.sweep.varied[this.lead(name)].count; }
  mappable(name) { return !this.sweep.varied[name].drawn; }
  memberAt(indices) { return this.sweep.varied.reduce((n, v, k) => n * v.count + indices[k], 0); }
  there(member) { return member >= 0 && member < this.sweep.shown; }
  valueOf(member, name) { return this.sweep.values[member * this.sweep.varied.length + name]; }
  recordOf(member, record = this.record) { return this.there(member) ? this.sweep.recorded[member * this.sweep.records.length + record] : NaN; }
  hasMotion(member) { return byId('member-' + (member + 1)) !== null; }

  firstWithMotion() {
    for (let k = 0; k < this.sweep.shown; ++k)
      if (this.hasMotion(k)) return k;
    return 0;
  }

  // The values of a name, by index: the members that differ in it alone have them.
  axis(name) {
    const at = this.sweep.varied.map(() => 0);
    return Array.from({length: this.countOf(name)}, (_, k) => {
      at[this.lead(name)] = k;
      const member = this.memberAt(at);
      return this.there(member) ? this.valueOf(member, name) : NaN;
    });
  }

  // ---- what is shown
  choices() {
    const {sweep} = this, room = byId('choices'), many = sweep.varied.map((v, k) => k).filter(k => this.countOf(k) > 1);
    const list = (label, entries, value, change) => {
      const select = element('select', {title: label});
      select.setAttribute('aria-label', label);
      for (const [text, v] of entries) select.append(new Option(text, v));
      select.value = value;
      select.onchange = () => {
        change(Number(select.value));
        this.choices();
        this.show();
      };
      return select;
    };
    room.replaceChildren(element('button', {textContent: 'SVG', title: 'Save this picture as an SVG file', onclick: () => downloadSvg(fileName((sweep.records[this.record] || {name: 'members'}).name), this.exported())}));
    if (sweep.records.length > 1)
      room.append(list('Recorded value', sweep.records.map((r, k) => [axisTitle([r.name], r.unit), k]), this.record, v => this.record = v));
    if (many.length < 2) return;
    const name = k => sweep.varied[k].name;
    room.append(list('Horizontal axis', many.map(k => ['over ' + name(k), k]), this.across, v => {
      if (this.lead(v) === this.along) this.along = this.lead(this.across);
      this.across = v;
      if (!this.mappable(v)) this.asMap = false;
    }));
    const second = many.filter(k => k !== this.across && k === this.lead(k) && k !== this.lead(this.across));
    const forms = second.flatMap(k => [['a line for each ' + name(k), 2 * k], ...this.mappable(k) && this.mappable(this.across) ? [['map with ' + name(k), 2 * k + 1]] : []]);
    if (forms.length) room.append(list('Form', forms, 2 * this.along + (this.asMap ? 1 : 0), v => {
      this.along = Math.floor(v / 2);
      this.asMap = v % 2 === 1;
    }));
    for (const k of second.filter(k => k !== this.along))
      room.append(list(name(k), this.axis(k).map((v, i) => [name(k) + ' = ' + withUnit(shown(v), sweep.varied[k].unit), i]), this.fixed[k],
                       v => this.fixed[k] = v));
  }

  show() {
    const {sweep} = this;
    this.xs = this.axis(this.across);
    this.ys = this.along >= 0 ? this.axis(this.along) : [NaN];
    this.members = this.ys.map((_, j) => this.xs.map((_, i) => this.memberAt(this.fixed.map((f, k) => k === this.lead(this.across) ? i : k === this.along ? j : f))));
    const [low, high] = [this.low, this.high] = rangeOf(this.members.flat().map(m => this.recordOf(m)));
    const record = sweep.records[this.record], over = sweep.varied[this.across].name;
    this.canvas.setAttribute('aria-label', (record ? record.name : 'Members') + ' over ' + over +
        (this.along >= 0 ? ' and ' + sweep.varied[this.along].name : '') + (Number.isFinite(low) ? ', from ' + shown(low) + ' to ' + shown(high) : ''));
    this.legend();
    this.draw();
  }

  legend() {
    const {sweep} = this, key = byId('key'), unit = this.along >= 0 ? sweep.varied[this.along].unit : '';
    key.replaceChildren();
    if (this.asMap) {
      const bar = element('span', {className: 'ramp'});
      bar.style.background = 'linear-gradient(to right, ' + Array.from({length: 9}, (_, k) => rampColour(k / 8)).join(', ') + ')';
      const record = sweep.records[this.record];
      key.append(withUnit(shown(this.low), record.unit), bar, withUnit(shown(this.high), record.unit));
    } else if (this.along >= 0) {
      key.append(sweep.varied[this.along].name + ':');
      for (const j of this.linesShown()) {
        const mark = element('i');
        mark.style.background = this.lineColour(j);
        key.append(element('span', {className: 'entry'}, mark, withUnit(shown(this.ys[j]), unit)));
      }
      if (this.ys.length > kMostLines) key.append('of ' + this.ys.length + '; a map shows all');
    }
  }

  linesShown() {
    const n = this.ys.length;
    if (n <= kMostLines) return this.ys.map((_, j) => j);
    return Array.from({length: kMostLines}, (_, k) => Math.round(k * (n - 1) / (kMostLines - 1)));
  }

  lineColour(j) { return this.along < 0 ? cssColour('--accent') : rampColour(this.ys.length > 1 ? 0.9 * j / (this.ys.length - 1) : 0); }

  // ---- drawing
  draw() {
    const {canvas} = this, ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0) return;
    Object.assign(canvas, {width: width * ratio, height: height * ratio});
    const g = this.context = canvas.getContext('2d', kInMemory);
    g.scale(ratio, ratio);
    this.drawAll(g, width, height, 12);
  }

  drawAll(g, width, height, top) {
    const {sweep} = this;
    this.frame = {left: kMargin.left, right: width - 14, top, bottom: height - kMargin.bottom};
    g.font = '11px system-ui, sans-serif';
    if (this.asMap) this.drawMap(g);
    else this.drawLines(g);
    g.fillStyle = cssColour('--faint');
    const title = v => v ? axisTitle([v.name], v.unit) : '';
    drawTitles(g, this.frame, title(sweep.varied[this.across]), title(this.asMap ? sweep.varied[this.along] : sweep.records[this.record]));
  }

  // The picture as it is, with its key above, in a size of its own.
  exported() {
    const {width, height, names} = kExported, g = new SvgContext(width, height + names, document.createElement('canvas').getContext('2d'));
    const {sweep} = this, second = sweep.varied[this.along], value = (v, unit) => withUnit(shown(v), unit);
    if (this.asMap) {
      const {unit} = sweep.records[this.record], texts = [value(this.low, unit), value(this.high, unit)];
      drawNames(g, [[texts[0]]], kMargin.left, 16);
      const from = kMargin.left + g.measureText(texts[0]).width + 8;
      for (let k = 0; k < 60; ++k) {
        g.fillStyle = rampColour(k / 59);
        g.fillRect(from + 2 * k, 7, 2.2, 10);
      }
      drawNames(g, [[texts[1] + '  ' + axisTitle([sweep.records[this.record].name], unit)]], from + 128, 16);
    } else if (second) {
      drawNames(g, [[second.name + ':'], ...this.linesShown().map(j => [value(this.ys[j], second.unit), this.lineColour(j)])], kMargin.left, 16);
    }
    const chosen = this.chosen;
    this.chosen = -1;  // is marked on the page only
    this.drawAll(g, width, height + names, 12 + names);
    this.chosen = chosen;
    this.draw();
    return g;
  }

  cell() {
    const f = this.frame;
    return [(f.right - f.left) / this.xs.length, (f.bottom - f.top) / this.ys.length];
  }

  drawMap(g) {
    const f = this.frame, [w, h] = this.cell();
    this.members.forEach((row, j) => row.forEach((m, i) => {
      const x = f.left + i * w, y = f.bottom - (j + 1) * h, v = this.recordOf(m);
      if (Number.isFinite(v)) {
        g.fillStyle = rampColour(this.high > this.low ? (v - this.low) / (this.high - this.low) : 0.5);
        g.fillRect(x, y, w + 0.5, h + 0.5);
      } else if (this.there(m)) {
        this.cross(g, x + w / 2, y + h / 2, Math.min(w, h) * 0.25);
      }
      if (this.hasMotion(m) && Math.min(w, h) > 9) disc(g, x + w / 2, y + h / 2, 2, v > this.low + 0.55 * (this.high - this.low) ? '#10161d' : '#ffffff');
      if (m === this.chosen) this.outline = [x, y, w, h];
    }));
    g.fillStyle = cssColour('--faint');
    const step = (n, size, room) => Math.max(1, Math.ceil(room / size));
    g.textAlign = 'center';
    for (let i = 0; i < this.xs.length; i += step(this.xs.length, w, 46)) g.fillText(shown(this.xs[i], 4), f.left + (i + 0.5) * w, f.bottom + 13);
    g.textAlign = 'right';
    for (let j = 0; j < this.ys.length; j += step(this.ys.length, h, 18)) g.fillText(shown(this.ys[j], 4), f.left - 5, f.bottom - (j + 0.5) * h + 4);
    if (!this.outline) return;
    g.strokeStyle = cssColour('--paper');
    g.lineWidth = 4;
    g.strokeRect(...this.outline);
    g.strokeStyle = cssColour('--ink');
    g.lineWidth = 2;
    g.strokeRect(...this.outline);
    this.outline = null;
  }

  // Where values go in the picture of lines.
  places() {
    const f = this.frame, finite = this.xs.filter(Number.isFinite), widen = (a, b, part) => b > a ? [a - part * (b - a), b + part * (b - a)] : [a - (Math.abs(a) * 0.1 || 1), a + (Math.abs(a) * 0.1 || 1)];
    const x = widen(Math.min(...finite), Math.max(...finite), 0.03), y = Number.isFinite(this.low) ? widen(this.low, this.high, 0.06) : [0, 1];
    return {
      x, y, px: v => f.left + (v - x[0]) / (x[1] - x[0]) * (f.right - f.left), py: v => f.bottom - (v - y[0]) / (y[1] - y[0]) * (f.bottom - f.top)
    };
  }

  drawLines(g) {
    const {x, y, px, py} = this.places();
    drawGrid(g, this.frame, x, y, px, py, ys => ys.map(v => tickText(v, stepOf(ys))));
    this.points = [];
    for (const j of this.linesShown()) this.drawLine(g, j, px, py);
    const at = this.points.find(p => p.member === this.chosen);
    if (!at) return;
    g.strokeStyle = cssColour('--ink');
    g.lineWidth = 2;
    g.beginPath();
    g.arc(at.x, at.y, 7, 0, 2 * Math.PI);
    g.stroke();
  }

  // In the order of the values, which a list need not have; draws are points. What has no value is a cross at the bottom.
  drawLine(g, j, px, py) {
    const order = this.xs.map((_, i) => i).filter(i => this.there(this.members[j][i])).sort((a, b) => this.xs[a] - this.xs[b]);
    const colour = this.lineColour(j), scattered = !this.mappable(this.across), dots = scattered || order.length < 60;
    g.strokeStyle = colour;
    g.lineWidth = 1.6;
    g.beginPath();
    let open = false;
    for (const i of order) {
      const v = this.recordOf(this.members[j][i]), p = {member: this.members[j][i], x: px(this.xs[i]), y: Number.isFinite(v) ? py(v) : this.frame.bottom - 8, fine: Number.isFinite(v)};
      this.points.push(p);
      if (p.fine && !scattered) open ? g.lineTo(p.x, p.y) : g.moveTo(p.x, p.y);
      open = p.fine;
    }
    g.stroke();
    for (const p of this.points.slice(-order.length)) {
      if (!p.fine) this.cross(g, p.x, p.y, 4);
      else if (this.hasMotion(p.member)) disc(g, p.x, p.y, 3.6, colour);
      else if (dots) disc(g, p.x, p.y, 1.8, colour);
    }
  }

  cross(g, x, y, r) {
    g.strokeStyle = cssColour('--error');
    g.lineWidth = 1.4;
    g.beginPath();
    g.moveTo(x - r, y - r);
    g.lineTo(x + r, y + r);
    g.moveTo(x - r, y + r);
    g.lineTo(x + r, y - r);
    g.stroke();
  }

  // ---- mouse and keys
  // The member at a place of the canvas, -1 beside all of them.
  memberNear(x, y) {
    const f = this.frame;
    if (this.asMap) {
      const [w, h] = this.cell(), i = Math.floor((x - f.left) / w), j = Math.floor((f.bottom - y) / h);
      const m = i >= 0 && i < this.xs.length && j >= 0 && j < this.ys.length ? this.members[j][i] : -1;
      return this.there(m) ? m : -1;
    }
    let best = -1, nearest = 40;
    for (const p of this.points || []) {
      const away = Math.hypot(p.x - x, p.y - y);
      if (away < nearest) [nearest, best] = [away, p.member];
    }
    return best;
  }

  // One value further of the name across (dx) or of the other one (dy).
  step(dx, dy) {
    const at = this.indices(this.chosen), move = (k, d) => {
      if (k >= 0) at[this.lead(k)] = Math.min(this.countOf(k) - 1, Math.max(0, at[this.lead(k)] + d));
    };
    move(this.across, dx);
    move(this.along, dy);
    const member = this.memberAt(at);
    if (this.there(member)) this.choose(member, false);
  }

  listen() {
    const c = this.canvas;
    c.onclick = e => {
      const box = c.getBoundingClientRect(), m = this.memberNear(e.clientX - box.left, e.clientY - box.top);
      if (m >= 0) this.choose(m, true);
    };
    c.onkeydown = e => {
      const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[e.key];
      if (steps) this.step(...steps);
      else if (e.key === 'Enter' || e.key === ' ') this.choose(this.chosen, true);
      else return;
      e.preventDefault();
    };
  }

  // ---- one member
  choose(member, open) {
    this.chosen = member;
    this.draw();
    this.describe();
    if (open) this.open();
  }

  command() {
    const {sweep} = this, quoted = text => '"' + text.replace(/(["\\$`])/g, '\\$1') + '"';
    const sets = [...sweep.set, ...sweep.varied.map((v, k) => v.name + ' = ' + this.valueOf(this.chosen, k) + (v.in_unit ? ' [' + v.unit + ']' : ''))];
    return ['mbc view', sweep.file, sweep.simulation, ...sets.map(s => '--set ' + quoted(s))].filter(t => t).join(' ');
  }

  describe() {
    const {sweep, chosen} = this, table = element('table', {className: 'values'}), reason = sweep.reasons[chosen + 1];
    const row = (name, value) => table.append(element('tr', {}, element('td', {textContent: name}), element('td', {textContent: value})));
    sweep.varied.forEach((v, k) => row(v.name, withUnit(shown(this.valueOf(chosen, k), 10), v.unit)));
    sweep.records.forEach((r, k) => row(r.name, withUnit(shown(this.recordOf(chosen, k), 8), r.unit)));
    byId('member').replaceChildren(element('h2', {textContent: 'member ' + (chosen + 1) + (sweep.status[chosen] ? ': ' + sweep.statuses[sweep.status[chosen]] : '')}), table);
    if (reason) byId('member').append(element('p', {className: 'error', textContent: reason}));
    byId('member').append(element('p', {className: 'faint', textContent: 'By itself:'}), element('pre', {textContent: this.command()}));
  }

  // The page of a run, with the style and the script of this one.
  open() {
    const data = byId('member-' + (this.chosen + 1)), room = byId('motion'), before = room.querySelector('iframe');
    if (before) before.remove();
    byId('nomotion').hidden = data !== null;
    byId('nomotion').textContent = 'The motion of member ' + (this.chosen + 1) + ' is not in this page: dots mark those that are. The command beside shows it.';
    if (!data) return;
    const parts = {
      title: 'member ' + (this.chosen + 1), style: document.querySelector('style').textContent, script: byId('viewer').textContent, data: data.textContent
    };
    const frame = element('iframe', {title: 'Motion of member ' + (this.chosen + 1)});
    frame.srcdoc = this.sweep.viewer.replace(/@(title|style|script|data)@/g, (_, part) => parts[part]);
    room.append(frame);
  }
}
