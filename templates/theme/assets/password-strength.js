import { estimateGuesses } from './guess-estimate.js';

// Says how strong a new password is while somebody types it. Only an opinion: the portal knows far more common passwords, and
// judges when the form is sent. Nothing that is typed leaves the page before.

const WORDS =
  'password qwerty dragon baseball football monkey letmein shadow master michael mustang qwertyuiop superman jordan jennifer ' +
  'killer trustno1 hunter harley buster andrew batman soccer tigger charlie robert sunshine thomas iloveyou daniel hockey ' +
  'george computer michelle jessica starwars pepper freedom princess joshua maggie ginger amanda ashley love cheese nicole ' +
  'summer matthew chelsea william austin access martin heather thunder merlin secret diamond hello anthony hammer silver ' +
  'justin patrick internet samantha orange cookie jackson mickey phoenix snoopy guitar whatever chicken morgan mercedes ' +
  'peanut ferrari falcon welcome samsung dakota arsenal tigers marina monster spider junior london purple money banana ' +
  'admin administrator changeme login test winter spring autumn portal developer user root 1234 12345 123456 1q2w3e4r abcd';
const RANKS = new Map(WORDS.split(' ').map((word, at) => [word, at + 1]));

/** Decimal logarithms of guesses, from which on a password is called so; below the first the portal refuses it. */
const LEVELS = [
  [6.5, 'fair'],
  [10, 'good'],
  [14, 'strong'],
];

/** @returns how strong, as the part of a scale of 1, and the key of the word for it; null for nothing typed */
export function strengthOf(password, minimum) {
  const length = [...password].length;
  if (length === 0) return null;
  const { log10, weakness } = estimateGuesses(password.slice(0, 128), (word) => RANKS.get(word));
  if (length < minimum) return { part: Math.min(0.2, length / minimum / 5), word: 'short' };
  const level = LEVELS.findLast(([from]) => log10 >= from);
  if (!level) return { part: 0.3, word: weakness ?? 'common' };
  return { part: Math.min(1, log10 / 16), word: level[1] };
}

for (const input of document.querySelectorAll('input[data-strength]')) {
  const words = JSON.parse(input.dataset.strength);
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const box = document.createElement('div');
  const meter = document.createElement('meter');
  const text = document.createElement('p');
  box.className = 'strength';
  box.hidden = true;
  Object.assign(meter, { min: 0, max: 1, low: 0.35, high: 0.6, optimum: 1 });
  meter.setAttribute('aria-hidden', 'true');
  text.setAttribute('role', 'status');
  box.append(meter, text);
  input.after(box);
  input.addEventListener('input', () => {
    const strength = strengthOf(input.value, input.minLength);
    box.hidden = !strength;
    if (!strength) return;
    meter.value = strength.part;
    text.textContent = words[strength.word]
      .replace('{count}', number.format([...input.value].length))
      .replace('{minimum}', number.format(input.minLength));
  });
}
