// Shows where a field of a table stands in the example beside it, by the path of its names: a help for eyes.

/** Whoever points at a field sees its place in the example; who clicks its name is led there. */
export function pointAtExamples(view) {
  let item = null;
  let pointed = [];
  const point = (next) => {
    if (next === item) return;
    item = next;
    for (const key of pointed) key.classList.remove('is-pointed');
    const names = item ? namesAround(item, view) : [];
    const example = item && exampleBeside(item, view);
    pointed = example ? keysOf(example).filter(({ path }) => isSame(path, names)).map(({ key }) => key) : [];
    for (const key of pointed) key.classList.add('is-pointed');
  };
  const itemAt = (target) => target.closest('.reference-fields .reference-properties > li');
  view.addEventListener('pointerover', ({ target }) => point(itemAt(target)));
  view.addEventListener('pointerleave', () => point(null));
  view.addEventListener('click', ({ target }) => {
    if (!target.closest('.reference-name')) return;
    point(itemAt(target));
    pointed[0]?.scrollIntoView({ block: 'nearest' });
  });
}

/** The example that has the field: of the request, or of the answer if that is the one that is shown. */
function exampleBeside(item, view) {
  // Those of callbacks have no example there.
  const part = item.closest('.reference-fields > section');
  if (part.classList.contains('reference-request')) return view.querySelector('.reference-samples pre, .reference-example pre');
  const answer = item.closest('.reference-answer');
  const shown = view.querySelector('.reference-example [aria-pressed="true"]')?.textContent;
  return part.classList.contains('reference-answers') && answer?.dataset.status === shown ? view.querySelector('.reference-example pre') : null;
}

function namesAround(item, view) {
  const names = [];
  for (let place = item; place && view.contains(place); place = place.parentElement.closest('.reference-properties > li')) {
    names.unshift(place.querySelector('.reference-name')?.textContent ?? '');
  }
  return names;
}

/** The names of an example with their paths, which its indentation tells; places in lists count for nothing. */
function keysOf(example) {
  const around = [];
  return [...example.querySelectorAll('.tok-key')].map((key) => {
    const depth = indentOf(key);
    while (around.length > 0 && around.at(-1).depth >= depth) around.pop();
    around.push({ depth, name: key.textContent.slice(1, -1) });
    return { key, path: around.map(({ name }) => name) };
  });
}

function indentOf(key) {
  const before = key.previousSibling?.textContent ?? '';
  return before.length - before.lastIndexOf('\n') - 1;
}

const isSame = (a, b) => a.length === b.length && a.every((name, place) => name === b[place]);
