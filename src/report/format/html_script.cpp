// SPDX-License-Identifier: Apache-2.0
#include "report/format/html_script.h"

namespace trcost::report {

const std::string_view kTableScript = R"js(
(() => {
  const units = {k: 1e3, M: 1e6, B: 1e9, T: 1e12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600,
                 d: 86400, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15, '%': .01};
  // The number that a cell shows, such as ~$19.2k, or nothing.
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

}  // namespace trcost::report
