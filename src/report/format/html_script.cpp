// SPDX-License-Identifier: Apache-2.0
#include "report/format/html_script.h"

namespace trcost::report {

const std::string_view kTableScript = R"js(
(() => {
  const units = {k: 1e3, M: 1e6, B: 1e9, T: 1e12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600,
                 d: 86400, y: 31557600, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15, '%': .01,
                 W: 1, kW: 1e3, MW: 1e6, kWh: 1e3, MWh: 1e6, GWh: 1e9, kg: 1, t: 1e3, kt: 1e6};
  // The number that a cell shows, such as $19.2k, or null.
  const number = text => {
    const at = /^~?[^\d.-]{0,4}(-?[\d,]*\.?\d+(?:e[+-]?\d+)?) ?([a-zA-Z%]*)$/.exec(text);
    const unit = at && (at[2] === '' ? 1 : units[at[2]]);
    return unit ? Number(at[1].replaceAll(',', '')) * unit : null;
  };
  const missing = text => text === '' || text === 'n/a';
  const compare = (a, b) => {
    const x = number(a), y = number(b);
    return x !== null && y !== null ? x - y : a.localeCompare(b, 'en', {numeric: true});
  };
  const sort = (table, head, heads) => {
    const down = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
    for (const each of heads) each.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down < 0 ? 'descending' : 'ascending');
    const body = table.tBodies[0];
    const rows = [...body.rows].map(row => [row.cells[head.cellIndex].textContent, row]);
    rows.sort(([a], [b]) => missing(a) - missing(b) || down * compare(a, b));
    body.append(...rows.map(([, row]) => row));
  };
  const addFilter = table => {
    const rows = [...table.tBodies[0].rows], box = document.createElement('p');
    box.className = 'filter';
    box.innerHTML = '<label>Filter rows <input type="search"></label> <output></output>';
    table.parentElement.before(box);
    box.querySelector('input').addEventListener('input', event => {
      const words = event.target.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every(word => text.includes(word));
        shown += !row.hidden;
      }
      box.querySelector('output').textContent = `${shown} of ${rows.length} rows`;
    });
  };
  for (const table of document.querySelectorAll('table.sort')) {
    const heads = [...table.tHead.rows[0].cells];
    for (const head of heads) {
      const button = document.createElement('button');
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => sort(table, head, heads));
    }
    if (table.tBodies[0].rows.length > 7) addFilter(table);
  }
})();
)js";

const std::string_view kWhatIfScript = R"js(
(() => {
  const data = JSON.parse(document.getElementById('what-if').textContent), wide = data.columns.length;
  const lines = key => data.lines.filter(line => line[0] === key);
  const changed = new Map();  // values of cells that the reader has set
  let column = data.first;
  const cell = line => line[2] * wide + column;
  // The cell that a copy of another cell stands for.
  const origin = at => {
    const rule = data.cells[at];
    return Array.isArray(rule) && rule[0] === '*' && rule[1] === 1 && rule.length === 3 ? origin(rule[2] - 1) : at;
  };
  const value = at => {
    if (changed.has(at)) return changed.get(at);
    const rule = data.cells[at];
    if (!Array.isArray(rule)) return rule;
    const product = rule[0] === '*';
    let out = product ? rule[1] : 0;
    for (const name of rule.slice(product ? 2 : 1)) {
      const part = value(Math.abs(name) - 1);
      if (part === null) return null;
      out = !product ? out + Math.sign(name) * part : name < 0 ? out / part : out * part;
    }
    return out;
  };
  const group = (number, digits) => number.toLocaleString('en-US',
    {minimumFractionDigits: digits, maximumFractionDigits: digits});
  const money = usd => usd === null ? 'n/a' : data.sign + group(usd * data.rate, usd * data.rate < 100 ? 2 : 0);
  const plain = number => String(Number(number.toPrecision(6)));
  const short = number => {
    const [size, unit] = [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1, '']].find(([size]) => number >= size) ?? [1, ''];
    return plain(number / size) + unit;
  };
  const share = number => plain(Math.round(1e4 * number) / 100) + '%';
  // What may be set: key, label, how its value is written, and its greatest value.
  const inputs = [
    ['price', `Price per GPU-hour, ${data.sign.trim()}`, usd => plain(usd * data.rate), Infinity],
    ['utilization', 'Utilization', share, 1], ['tokens', 'Tokens', short, Infinity], ['mfu', 'MFU', share, 1],
    ['gpus', 'GPUs', plain, Infinity, true]].filter(([key]) => lines(key).length > 0).slice(0, 4);
  const scales = {'': 1, '%': .01, k: 1e3, m: 1e6, b: 1e9, t: 1e12};
  // The number that a reader wrote, or NaN.
  const read = ([key, , , most, whole], text) => {
    // A comma before one or two last digits is a decimal point, others group thousands.
    if (/\..*,/.test(text)) return NaN;
    const bare = text.replace(data.sign.trim(), '').toLowerCase().replace(/\s/g, '')
      .replace(/^(\d+),(\d{1,2})(?=[%kmbt]?$)/, '$1.$2').replace(/,/g, '');
    const at = /^(\d*\.?\d+(?:e[+]?\d+)?)([%kmbt]?)$/.exec(bare);
    const number = at ? Number(at[1]) * scales[at[2]] / (key === 'price' ? data.rate : 1) : NaN;
    return number > 0 && number <= most && (!whole || Number.isInteger(number)) ? number : NaN;
  };

  const form = document.createElement('form');
  form.className = 'what-if';
  form.setAttribute('aria-labelledby', 'what-if-title');
  const rows = lines('amount');
  form.innerHTML = '<h2 id="what-if-title">What if</h2><div class="inputs"></div>' +
    '<p role="status" class="result"></p><table><caption>Bill</caption><tbody></tbody></table>' +
    '<p class="note">Layout, goodput and overheads stay as they were estimated, and MFU stays if the GPUs change. ' +
    'Run trcost again for another layout.</p><p><button type="reset">Reset</button></p>';
  const box = form.querySelector('.inputs');
  const add = (label, control) => {
    const frame = document.createElement('label');
    frame.append(label, control);
    box.append(frame);
    return control;
  };
  const platform = document.createElement('select');
  platform.name = 'platform';
  data.columns.forEach((name, at) => platform.append(new Option(name, at)));
  platform.value = column;
  if (wide > 1) add('Platform', platform);
  const fields = inputs.map(([key, label]) => {
    const field = add(label, document.createElement('input'));
    field.name = key;
    field.size = 10;
    field.autocomplete = 'off';
    return field;
  });
  const show = () => {
    const of = key => lines(key).length ? value(cell(lines(key)[0])) : null;
    const total = of('total'), low = of('low'), high = of('high');
    form.querySelector('.result').innerHTML =
      `<b data-key="total">${money(total)}</b> for <span data-key="hours">${group(of('hours'), 0)}</span> GPU-hours in ` +
      `<span data-key="days">${group(of('days'), 1)}</span> days` +
      (low === null || high === null ? '' : `, 80% likely ${money(low)} to ${money(high)}`);
    const body = form.querySelector('tbody');
    body.textContent = '';
    for (const line of rows) {
      if (data.cells[cell(line)] === null) continue;
      const row = body.insertRow();
      row.innerHTML = '<th scope="row"></th><td class="number"></td>';
      row.cells[0].textContent = line[1];
      row.cells[1].textContent = money(value(cell(line)));
    }
    form.querySelector('table').hidden = body.rows.length < 2;
  };
  const place = at => origin(cell(lines(inputs[at][0])[0]));
  const restart = () => {
    changed.clear();
    fields.forEach((field, at) => {
      const now = value(place(at));
      field.value = now === null ? '' : inputs[at][2](now);
      field.removeAttribute('aria-invalid');
    });
    show();
  };
  fields.forEach((field, at) => field.addEventListener('input', () => {
    const [, label, write, most, whole] = inputs[at], number = read(inputs[at], field.value);
    const limit = most === 1 ? ' of at most 100%' : whole ? ' without a fraction' : ' above 0';
    if (number > 0) {
      changed.set(place(at), number);
      field.removeAttribute('aria-invalid');
      show();
    } else {
      field.setAttribute('aria-invalid', 'true');
      form.querySelector('.result').textContent = `${label}: a number${limit} is wanted, such as ${write(value(place(at)))}.`;
    }
  }));
  platform.addEventListener('change', () => {
    column = Number(platform.value);
    restart();
  });
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', event => {
    event.preventDefault();
    restart();
  });
  document.getElementById('what-if').after(form);
  restart();
})();
)js";

}  // namespace trcost::report
