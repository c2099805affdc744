// SPDX-License-Identifier: Apache-2.0
// Curves over the time or over another curve: axes with units, zoom by dragging, a cursor that all charts share.

// Curves are drawn in memory. On the graphics card they would have to wait for its programs to be made and for the picture
// of the motion, which without a card takes longer than all else on the page.
const kInMemory = {willReadFrequently: true};
const kMargin = {left: 74, right: 12, top: 10, bottom: 34};
const kNamesOfEvents = 16;  // room above the curves
const kMostNamed = 20;
const kExported = {width: 640, height: 360, names: 24};

// Round numbers that cut a range into about n pieces.
function ticksOf(low, high, n) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  let step = roundBelow(span / n);
  if (span / step > 2 * n) step *= 2;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; ++k) ticks.push(k * step);
  return ticks;
}

function tickText(value, step) {
  if (Math.abs(value) < step * 1e-6) return '0';
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e5 || size < 1e-3) return Number(value.toPrecision(6)).toExponential().replace('e+', 'e');
  return String(Number(value.toFixed(Math.max(0, Math.ceil(-Math.log10(step)) + 1))));
}

const stepOf = ticks => ticks.length > 1 ? ticks[1] - ticks[0] : Math.abs(ticks[0]) || 1;

// The least and the largest of those that are finite.
function rangeOf(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values)
    if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return [low, high];
}

// The name of a column in a unit, "angle [deg]", has it already.
function axisTitle(names, unit) {
  if (!unit || unit === '1') return names.join(', ');
  return [...names.map(name => name.replace(/ \[[^\[\]]*\]$/, '')), ''].join(', ').replace(/, $/, ' ') + '[' + unit + ']';
}

// ---- in a context of a canvas
function line(g, fromX, fromY, toX, toY) {
  g.beginPath();
  g.moveTo(fromX, fromY);
  g.lineTo(toX, toY);
  g.stroke();
}

function disc(g, x, y, radius, colour) {
  g.fillStyle = colour;
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  g.fill();
}

// Lines of a grid in a frame over the ranges x and y, with their values; px and py place them, `labels` gives the texts
// of the vertical axis.
function drawGrid(g, f, x, y, px, py, labels) {
  const xs = ticksOf(...x, Math.max(2, (f.right - f.left) / 90)), ys = ticksOf(...y, Math.max(2, (f.bottom - f.top) / 40));
  Object.assign(g, {strokeStyle: cssColour('--rule'), fillStyle: cssColour('--faint'), lineWidth: 1, textAlign: 'center'});
  for (const v of xs) {
    line(g, px(v), f.top, px(v), f.bottom);
    g.fillText(tickText(v, stepOf(xs)), px(v), f.bottom + 13);
  }
  g.textAlign = 'right';
  const texts = labels(ys);
  ys.forEach((v, k) => {
    line(g, f.left, py(v), f.right, py(v));
    g.fillText(texts[k], f.left - 5, py(v) + 4);
  });
}

function drawTitles(g, f, below, beside) {
  g.textAlign = 'center';
  g.fillText(below, (f.left + f.right) / 2, f.bottom + 27);
  g.save();
  g.translate(11, (f.top + f.bottom) / 2);
  g.rotate(-Math.PI / 2);
  g.fillText(beside, 0, 0);
  g.restore();
}

class Chart {
  // `curves`: those of the run that it shows; `over`: a curve in place of the time, or null; `page`: what is shared with
  // the others: time, zoom, seek().
  constructor(page, curves, over) {
    this.page = page;
    this.curves = curves;
    this.over = over;
    this.hidden = new Set();
    this.zoom = null;  // [from, to] of the horizontal axis when it is not the time
    this.canvas = element('canvas', {tabIndex: 0});
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', 'Curves of ' + curves.map(c => c.name).join(', '));
    this.legend = element('figcaption', {className: 'legend'});
    this.element = element('figure', {className: 'chart'}, this.canvas, this.legend);
    this.listen();
    this.makeLegend();
  }

  // A curve in place of the time, or null.
  setOver(curve) {
    this.over = curve;
    this.zoom = null;
    this.makeLegend();
    this.draw();
  }

  colour(k) { return palette()[k % palette().length]; }

  makeLegend() {
    this.legend.replaceChildren();
    this.values = this.curves.map((c, k) => {
      const mark = element('i'), value = element('b'), button = element('button', {title: 'Show or hide'}, mark, c.name, value);
      mark.style.background = this.colour(k);
      button.classList.toggle('off', this.hidden.has(k));
      button.setAttribute('aria-pressed', String(!this.hidden.has(k)));
      button.onclick = () => {
        if (!this.hidden.delete(k)) this.hidden.add(k);
        this.makeLegend();
        this.draw();
      };
      this.legend.append(button);
      return value;
    });
    const save = element('button', {textContent: 'SVG', title: 'Save this chart as an SVG file', onclick: () => downloadSvg(fileName(this.curves[0].name), this.exported())});
    const close = element('button', {textContent: '×', title: 'Remove this chart', onclick: () => this.page.removeChart(this)});
    close.setAttribute('aria-label', close.title);
    this.legend.append(element('span', {}, this.overWhat(), save, close));
  }

  // The list of what the curves may stand over. Its entries, hundreds in some runs, are made when it is reached for.
  overWhat() {
    const {run} = this.page, select = element('select', {title: 'Horizontal axis'});
    const fill = (...series) => {
      select.replaceChildren(new Option('over ' + run.abscissa, ''), ...series.map(s => new Option('over ' + s.name, s.name)));
      select.value = this.over ? this.over.name : '';
    };
    select.setAttribute('aria-label', select.title);
    fill(...this.over ? [this.over] : []);
    select.onpointerenter = select.onfocus = () => select.length < 3 && fill(...run.series.slice(0, 400));
    select.onchange = () => this.setOver(run.series.find(s => s.name === select.value) || null);
    return select;
  }

  // ---- points
  xAt(curve, k) {
    const frame = Math.min(k * curve.every, this.page.run.frames - 1), time = this.page.run.times[frame];
    return this.over ? seriesAt(this.page.run, this.over, time) : time;
  }

  range() {
    const {run, window} = this.page;
    if (this.over) return this.zoom || this.widened(...rangeOf(this.over.values));
    return window || [run.times[0], Math.max(run.times[run.frames - 1], run.times[0] + 1e-12)];
  }

  widened(low, high) {
    if (!Number.isFinite(low)) return [0, 1];
    const room = high > low ? 0.06 * (high - low) : Math.abs(low) * 0.1 || 1;
    return [low - room, high + room];
  }

  heights([from, to]) {
    let low = Infinity, high = -Infinity;
    this.curves.forEach((c, i) => {
      if (this.hidden.has(i)) return;
      for (let k = 0; k < c.values.length; ++k) {
        const x = this.over ? 0 : this.xAt(c, k), v = c.values[k];
        if (!Number.isFinite(v) || (!this.over && (x < from || x > to))) continue;
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    });
    // what only round-off moves is shown as the constant it is
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low < 2e-7 * size) return this.widened((low + high) / 2, (low + high) / 2);
    return this.widened(low, high);
  }

  // ---- drawing
  // Asked of all charts before one is drawn: values in a legend may move what is below it, and then the page is laid out anew.
  size() { return [this.canvas.clientWidth, this.canvas.clientHeight]; }

  draw([width, height] = this.size()) {
    const {canvas} = this, ratio = devicePixelRatio || 1;
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const g = this.context = canvas.getContext('2d', kInMemory);
    g.scale(ratio, ratio);
    this.drawAll(g, width, height);
    if (!this.picture) this.picture = document.createElement('canvas');
    Object.assign(this.picture, {width: canvas.width, height: canvas.height});
    this.picture.getContext('2d', kInMemory).drawImage(canvas, 0, 0);
    this.cursor();
  }

  drawAll(g, width, height, above = 0) {
    const x = this.range(), y = this.heights(x);
    this.frame = {x, y, width, height, left: kMargin.left, right: width - kMargin.right, bottom: height - kMargin.bottom};
    const events = this.eventsWithin(x);
    this.frame.top = above + kMargin.top + (events.length && events.length <= kMostNamed ? kNamesOfEvents : 0);
    this.drawAxes(g);
    this.drawNamesOfEvents(g, events);
    g.save();
    g.beginPath();
    g.rect(this.frame.left, this.frame.top, this.frame.right - this.frame.left, this.frame.bottom - this.frame.top);
    g.clip();
    this.drawEvents(g, events);
    this.curves.forEach((c, k) => this.hidden.has(k) || this.drawCurve(g, c, this.colour(k)));
    g.restore();
  }

  // The chart as it is, with its names above, in a size of its own.
  exported() {
    const {width, height, names} = kExported, g = new SvgContext(width, height + names, document.createElement('canvas').getContext('2d'));
    const entries = this.curves.map((c, k) => [c.name, this.colour(k)]).filter((_, k) => !this.hidden.has(k));
    drawNames(g, entries, kMargin.left, 16);
    this.drawAll(g, width, height + names, names);
    this.draw();
    return g;
  }

  px(v) { const f = this.frame; return f.left + (v - f.x[0]) / (f.x[1] - f.x[0]) * (f.right - f.left); }
  py(v) { const f = this.frame; return f.bottom - (v - f.y[0]) / (f.y[1] - f.y[0]) * (f.bottom - f.top); }

  // Labels of the vertical axis. Where they have too many digits for the margin they count from the lowest of them, `base`.
  labels(g, values) {
    const texts = values.map(v => tickText(v, stepOf(values)));
    if (values.length < 2 || texts.every(t => g.measureText(t).width <= kMargin.left - 22)) return {texts, base: ''};
    return {texts: values.map(v => tickText(v - values[0], stepOf(values))), base: String(Number(values[0].toPrecision(12)))};
  }

  drawAxes(g) {
    const f = this.frame, sharp = p => Math.round(p) + 0.5;
    g.font = '11px system-ui, sans-serif';
    drawGrid(g, f, f.x, f.y, v => sharp(this.px(v)), v => sharp(this.py(v)), ys => {
      const {texts, base} = this.labels(g, ys);
      g.textAlign = 'left';
      if (base) g.fillText('+ ' + base, f.left - 50, f.top - 1);
      g.textAlign = 'right';
      return texts;
    });
    const {run} = this.page, most = Math.min((f.bottom - f.top) * 1.15, f.top + f.bottom - 4);
    const names = this.curves.filter((c, k) => !this.hidden.has(k)).map(c => c.name);
    let title = axisTitle(names, this.curves[0].unit);
    for (let n = names.length; g.measureText(title).width > most && n-- > 0;)
      title = axisTitle(n > 0 ? [...names.slice(0, n), '…'] : [], this.curves[0].unit).trim();
    drawTitles(g, f, this.over ? axisTitle([this.over.name], this.over.unit) : axisTitle([run.abscissa], run.time_unit), title);
  }

  // Of the events in a range of time, as many as can be told apart, else none.
  eventsWithin([from, to]) {
    if (this.over) return [];
    const events = this.page.run.events.filter(e => e.time >= from && e.time <= to);
    return events.length > (this.frame.right - this.frame.left) / 3 ? [] : events;
  }

  drawEvents(g, events) {
    const f = this.frame;
    g.strokeStyle = cssColour('--event');
    g.lineWidth = 1;
    g.setLineDash([3, 3]);
    g.globalAlpha = events.length > kMostNamed ? 0.3 : 0.75;
    for (const e of events) {
      const p = Math.round(this.px(e.time)) + 0.5;
      line(g, p, f.top, p, f.bottom);
    }
    g.setLineDash([]);
    g.globalAlpha = 1;
  }

  // Names stand above the frame, clear of the curves, where there is room.
  drawNamesOfEvents(g, events) {
    let free = events.length > kMostNamed ? Infinity : -Infinity;
    Object.assign(g, {font: '11px system-ui, sans-serif', fillStyle: cssColour('--event'), textAlign: 'left'});
    for (const e of events) {
      const width = g.measureText(e.name).width, p = Math.min(this.px(e.time) - 2, this.frame.width - width - 2);
      if (p < free) continue;
      g.fillText(e.name, p, this.frame.top - 14);
      free = p + width + 8;
    }
  }

  // More points than pixels are drawn by the least and the largest of each pixel, so that no peak is lost.
  drawCurve(g, c, colour) {
    const {x} = this.frame;
    g.strokeStyle = colour;
    g.lineWidth = 1.4;
    g.lineJoin = 'round';
    g.beginPath();
    let open = false, column = NaN, low = 0, high = 0, last = 0;
    const flush = () => {
      if (Number.isNaN(column)) return;
      g.lineTo(column, low);
      g.lineTo(column, high);
      g.lineTo(column, last);
    };
    for (let k = 0; k < c.values.length; ++k) {
      const at = this.xAt(c, k), v = c.values[k];
      if (!Number.isFinite(v) || !Number.isFinite(at)) {
        flush();
        column = NaN;
        open = false;
        continue;
      }
      if (!this.over && (at < x[0] - (x[1] - x[0]) * 0.02 || at > x[1] + (x[1] - x[0]) * 0.02)) continue;
      const p = this.px(at), q = this.py(v);
      if (this.over) {
        open ? g.lineTo(p, q) : g.moveTo(p, q);
        open = true;
        continue;
      }
      const pixel = Math.round(p * 2) / 2;
      if (pixel !== column) {
        flush();
        open ? g.lineTo(p, q) : g.moveTo(p, q);
        open = true;
        [column, low, high] = [pixel, q, q];
      }
      low = Math.min(low, q);
      high = Math.max(high, q);
      last = q;
    }
    flush();
    g.stroke();
  }

  // The time at hand, and the values there.
  cursor() {
    if (!this.picture) return;
    const g = this.context, {run, time} = this.page, f = this.frame;
    g.clearRect(0, 0, f.width, f.height);
    g.drawImage(this.picture, 0, 0, f.width, f.height);
    const x = this.over ? seriesAt(run, this.over, time) : time, p = this.px(x);
    if (!this.over && p >= f.left && p <= f.right) {
      g.strokeStyle = cssColour('--ink');
      g.globalAlpha = 0.5;
      line(g, p, f.top, p, f.bottom);
      g.globalAlpha = 1;
    }
    this.curves.forEach((c, k) => {
      const v = seriesAt(run, c, time), q = this.py(v);
      const text = ' ' + withUnit(shown(v), c.unit);
      if (this.values[k].textContent !== text) this.values[k].textContent = text;
      if (this.hidden.has(k) || !(p >= f.left - 1 && p <= f.right + 1 && q >= f.top - 1 && q <= f.bottom + 1)) return;
      disc(g, p, q, 3.2, this.colour(k));
    });
    if (this.drag && this.drag.moved) {
      g.fillStyle = cssColour('--accent');
      g.globalAlpha = 0.15;
      g.fillRect(this.drag.from, f.top, this.drag.to - this.drag.from, f.bottom - f.top);
      g.globalAlpha = 1;
    }
  }

  // ---- mouse and keys: a click goes to that time, a drag zooms, a double click or Escape shows all again
  listen() {
    const c = this.canvas, place = e => e.clientX - c.getBoundingClientRect().left;
    c.onpointerdown = e => {
      this.drag = {from: place(e), to: place(e), moved: false};
      c.setPointerCapture(e.pointerId);
    };
    c.onpointermove = e => {
      if (!this.drag) return;
      this.drag.to = place(e);
      if (Math.abs(this.drag.to - this.drag.from) > 6) this.drag.moved = true;
      this.cursor();
    };
    c.onpointerup = () => {
      const d = this.drag;
      this.drag = null;
      if (!d || !this.frame) return;
      const at = p => this.frame.x[0] + (p - this.frame.left) / (this.frame.right - this.frame.left) * (this.frame.x[1] - this.frame.x[0]);
      if (d.moved) this.show([at(Math.min(d.from, d.to)), at(Math.max(d.from, d.to))]);
      else if (!this.over) this.page.seek(at(d.from));
    };
    c.onpointercancel = () => this.drag = null;
    c.ondblclick = () => this.show(null);
    c.onkeydown = e => {
      if (e.key === 'Escape') this.show(null);
    };
  }

  show(range) {
    if (this.over) {
      this.zoom = range;
      return this.draw();
    }
    this.page.window = range;
    this.page.drawCharts();
  }
}
