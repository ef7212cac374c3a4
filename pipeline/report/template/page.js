// SPDX-License-Identifier: MIT
// Values of a plot where the pointer or the arrow keys are, read from the table below it; and sorting of the table of samples.
'use strict';

for (const drawing of document.querySelectorAll('svg.drawing')) {
  const figure = drawing.closest('figure');
  const readout = figure.querySelector('.readout');
  const rows = figure.querySelectorAll('tbody tr');
  const names = [...figure.querySelectorAll('thead th')].map(cell => cell.textContent);
  const places = drawing.dataset.xs.split(' ').map(Number);
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  cursor.setAttribute('class', 'cursor');
  let at = -1;

  const show = place => {
    at = Math.max(0, Math.min(places.length - 1, place));
    cursor.setAttribute('d', `M${places[at]} ${drawing.dataset.top}V${drawing.dataset.bottom}`);
    if (!cursor.parentNode) drawing.append(cursor);
    const cells = [...rows[at].children].map(cell => cell.textContent);
    const values = cells.slice(1).map((value, i) => `${names[i + 1]} ${value}${drawing.dataset.unit}`);
    readout.textContent = `${names[0]} ${cells[0]}: ${values.join(', ')}`;
  };
  const hide = () => {
    at = -1;
    cursor.remove();
    readout.textContent = '';
  };
  const nearest = x => {
    let best = 0;
    for (let i = 1; i < places.length; i++) {
      if (Math.abs(places[i] - x) < Math.abs(places[best] - x)) best = i;
    }
    return best;
  };
  drawing.addEventListener('pointermove', event => {
    const box = drawing.getBoundingClientRect();
    show(nearest((event.clientX - box.left) / box.width * drawing.viewBox.baseVal.width));
  });
  drawing.addEventListener('pointerleave', hide);
  drawing.addEventListener('blur', hide);
  drawing.addEventListener('keydown', event => {
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -places.length, End: places.length}[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(at < 0 ? (step < 0 ? places.length - 1 : 0) : at + step);
  });
}

for (const button of document.querySelectorAll('button.sort')) {
  button.addEventListener('click', () => {
    const head = button.closest('th');
    const body = head.closest('table').tBodies[0];
    const column = head.cellIndex;
    const falls = head.getAttribute('aria-sort') === 'ascending';
    for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', falls ? 'descending' : 'ascending');
    const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)];
      const numbers = x !== '' && y !== '' && isFinite(x) && isFinite(y);
      return numbers ? x - y : x.localeCompare(y);
    };
    body.append(...[...body.rows].sort((a, b) => falls ? order(b, a) : order(a, b)));
  });
}
