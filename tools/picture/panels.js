// SPDX-License-Identifier: Apache-2.0
// What stands beside the picture: curves, summary, parameters, the text of the model with what was said of it.

function element(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

class Panels {
  constructor(page) {
    this.page = page;
    this.tabs = document.getElementById('tabs');
    this.tabs.setAttribute('aria-label', 'Data');
    this.room = document.getElementById('panels');
    this.panels = [];
    this.add('Curves', this.curves());
    this.add('Summary', element('pre', {textContent: page.run.summary}));
    if (page.run.events.length) this.add('Events', this.events());
    if (page.run.parameters.length) this.add('Parameters', this.parameters());
    if (page.run.equations) this.add('Equations', element('pre', {className: 'equations', textContent: page.run.equations}));
    this.add('Text', this.text());
    this.open(0);
  }

  add(title, content) {
    const k = this.panels.length;
    const panel = element('div', {className: 'panel', id: 'panel' + k, role: 'tabpanel', hidden: true}, content);
    const tab = element('button', {textContent: title, id: 'tab' + k, role: 'tab', onclick: () => this.open(k)});
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('aria-labelledby', tab.id);
    tab.onkeydown = e => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
      if (!step) return;
      e.stopPropagation();
      const next = (k + step + this.panels.length) % this.panels.length;
      this.open(next);
      this.panels[next].tab.focus();
    };
    this.tabs.append(tab);
    this.room.append(panel);
    this.panels.push({tab, panel});
  }

  open(which) {
    this.panels.forEach(({tab, panel}, k) => {
      panel.hidden = k !== which;
      tab.setAttribute('aria-selected', String(k === which));
      tab.tabIndex = k === which ? 0 : -1;
    });
    if (which === 0) this.page.drawCharts();
  }

  // ---- curves
  curves() {
    const {run} = this.page, list = element('datalist', {id: 'names-of-curves'});
    for (const s of run.series) list.append(element('option', {value: s.name}));
    const field = element('input', {type: 'text', placeholder: 'Add curves: names, or p.*', title: 'Names with commas between them; p.* is all that begin so'});
    field.setAttribute('list', list.id);
    field.setAttribute('aria-label', 'Add curves');
    const add = () => {
      const found = this.named(field.value);
      if (found.length) this.page.addCharts(found);
      field.value = '';
    };
    field.onchange = add;
    field.onkeydown = e => e.stopPropagation();
    this.charts = element('div', {className: 'charts'});
    const hint = element('p', {className: 'faint', textContent: 'Click: go to that time. Drag: zoom. Double click: all.'});
    if (run.columns_left_out)
      hint.append(' ' + run.columns_left_out + ' columns are left out of this page; the CSV file has them.');
    return element('div', {}, element('div', {className: 'row'}, field, list), this.charts, hint);
  }

  named(text) {
    const {run} = this.page, found = [];
    for (const word of text.split(',').map(w => w.trim()).filter(w => w)) {
      const begin = word.endsWith('*') ? word.slice(0, -1) : null;
      for (const s of run.series)
        if (s.name === word || (begin !== null && s.name.startsWith(begin)) || s.name.startsWith(word + '.')) found.push(s);
    }
    return found;
  }

  // ---- tables and texts
  events() {
    const {run} = this.page, table = element('table', {className: 'values'}), counts = new Map();
    for (const e of run.events) counts.set(e.name, (counts.get(e.name) || 0) + 1);
    table.append(element('tr', {}, ...[run.abscissa, 'Event'].map(t => element('th', {textContent: t, scope: 'col'}))));
    for (const e of run.events.slice(0, 500)) {
      const go = element('button', {textContent: withUnit(shown(e.time, 8), run.time_unit), onclick: () => this.page.seek(e.time)});
      table.append(element('tr', {}, element('td', {}, go), element('td', {textContent: e.name})));
    }
    const more = run.events_left_out + Math.max(0, run.events.length - 500);
    const summary = [...counts].map(([name, n]) => name + ' ' + n + (n > 1 ? ' times' : ' time')).join(', ');
    return element('div', {}, element('p', {className: 'faint', textContent: summary + (more ? '; ' + more + ' more are not listed' : '')}), table);
  }

  parameters() {
    const table = element('table', {className: 'values'});
    table.append(element('tr', {}, ...['Name', 'Value', ''].map(t => element('th', {textContent: t, scope: 'col'}))));
    for (const p of this.page.run.parameters)
      table.append(element('tr', {}, element('td', {textContent: p.name}),
                           element('td', {textContent: withUnit(shown(p.value, 10), p.unit)}),
                           element('td', {textContent: p.description, className: 'faint'})));
    return table;
  }

  text() {
    const {run} = this.page, box = element('div', {className: 'source'});
    const lines = run.source.replace(/\n$/, '').split('\n'), first = (run.diagnostics.find(d => d.file) || {}).file;
    const elsewhere = run.diagnostics.filter(d => !d.line || d.file !== first);
    for (const d of elsewhere) box.append(this.says(d));
    lines.forEach((line, k) => {
      const code = element('code'), comment = line.search(/\/\//);
      if (comment < 0) code.textContent = line || ' ';
      else code.append(line.slice(0, comment), element('span', {className: 'comment', textContent: line.slice(comment)}));
      box.append(code);
      for (const d of run.diagnostics)
        if (d.line === k + 1 && d.file === first) box.append(this.says(d));
    });
    return box;
  }

  says(d) {
    const place = d.line ? ' ' + d.file + ':' + d.line + ':' + d.column : '', more = [...(d.notes || []), d.help].filter(t => t);
    const text = ': ' + d.message + more.map(t => '\n' + t).join('');
    return element('div', {className: 'says ' + d.severity}, d.severity + '[' + d.code + ']' + place, element('span', {textContent: text}));
  }
}
