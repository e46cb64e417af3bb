import { highlight } from './highlight.js';
import { copyButton, el } from './reference-dom.js';
import { rememberedLanguage, rememberLanguage, SAMPLES } from './reference-samples.js';

/** Names that documents give to the languages of our samples. */
const ALIASES = {
  ...{ shell: 'curl', bash: 'curl', sh: 'curl', curl: 'curl', js: 'JavaScript', javascript: 'JavaScript', node: 'Node.js' },
  ...{ 'node.js': 'Node.js', nodejs: 'Node.js', python: 'Python', py: 'Python', php: 'PHP', ruby: 'Ruby', rb: 'Ruby' },
  ...{ go: 'Go', golang: 'Go', java: 'Java', kotlin: 'Kotlin', 'c#': 'C#', csharp: 'C#', swift: 'Swift', rust: 'Rust' },
  powershell: 'PowerShell',
};
const nameOf = (language) => ALIASES[language.toLowerCase()] ?? language;

/**
 * The request in a language that the reader chooses: samples that the document brings, then those that follow the form.
 * @param request what writes the request, with names in place of secrets; null for what cannot be requested
 * @returns `{element, refresh}`
 */
export function samplePanel(request, { codeSamples }, { say }) {
  const own = codeSamples.map(({ lang, label, source }) => ({ name: nameOf(lang), label: label || nameOf(lang), write: () => source }));
  const made = Object.entries(request ? SAMPLES : {}).map(([name, write]) => ({ name, label: name, write: () => write(request(null)) }));
  const all = [...own, ...made];
  const options = (samples) => samples.map((sample) => el('option', { value: all.indexOf(sample) }, sample.label));
  const group = (label, samples) => el('optgroup', { label: say(label) }, options(samples));
  const select = el(
    'select',
    { class: 'input reference-language', 'aria-label': say('language') },
    own.length > 0 && made.length > 0 ? [group('samples-of-document', own), group('samples-of-form', made)] : options(all),
  );
  const remembered = rememberedLanguage();
  const same = all.findIndex(({ name }) => name === remembered);
  select.selectedIndex = Math.max(0, same);
  const code = el('pre', { class: 'code', tabindex: 0 });
  const refresh = () => {
    const { name, write } = all[select.selectedIndex];
    code.replaceChildren(highlight(write(), name));
  };
  select.addEventListener('change', () => {
    rememberLanguage(all[select.selectedIndex].name);
    refresh();
  });
  refresh();
  const head = el('div', { class: 'code-head' }, select, copyButton(say, () => code.textContent));
  return { element: el('div', { class: 'reference-samples code-dark' }, head, code), refresh };
}
