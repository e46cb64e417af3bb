import './palette.js';
import { addKeys } from './keys.js';

// Keys that walk the rows of a list of the console.
const rows = [...document.querySelectorAll('[data-row]')];
let at = rows.findIndex((row) => row.hasAttribute('data-at'));
rows[at]?.scrollIntoView({ block: 'nearest' });

function moveTo(index) {
  rows[at]?.removeAttribute('data-at');
  at = Math.max(0, Math.min(rows.length - 1, index));
  rows[at].setAttribute('data-at', '');
  rows[at].scrollIntoView({ block: 'nearest' });
  (rows[at].querySelector('.row-link, a, button') ?? rows[at]).focus();
}

function pressInRow(name, target) {
  if (name === 'j' || name === 'k') moveTo(at + (name === 'j' ? 1 : -1));
  else if ((name === 'x' || name === ' ') && rows[at] && !target.matches('button, summary, input'))
    rows[at].querySelector('input[type=checkbox]')?.click();
  else if (name === 'Enter' && rows[at] && target === document.body) rows[at].querySelector('.row-link')?.click();
  else return false;
  return true;
}

if (rows.length > 0)
  addKeys({
    scope: () => rows[at] ?? document,
    press: pressInRow,
    describe: (words) => [
      ['j  k', words.rows],
      ['Enter', words.open],
      ...(document.querySelector('[data-row] input[type=checkbox]') ? [['Space', words.mark]] : []),
    ],
  });
