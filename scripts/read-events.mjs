// What the event classes of a domain say: the sentences above them, which stand in the source only, and what the classes
// themselves declare, their fields and what the activity log calls them.
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/**
 * @param {string} file with event classes
 * @param {string} entryPoint the file that exports what is public
 * @param {Record<string, Function>} classes what the file exports, built
 * @returns {Promise<{ name: string, meaning: string, actions: string[], fields: string[] }[]>} in the order of the file
 */
export async function readEvents(file, entryPoint, classes) {
  const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const isPublic = new Set((await readFile(entryPoint, 'utf8')).match(/\b[A-Z]\w+Event\b/g));
  const isAbstract = ({ modifiers = [] }) => modifiers.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword);
  return source.statements
    .filter(ts.isClassDeclaration)
    .filter((declaration) => !isAbstract(declaration) && isPublic.has(declaration.name.text))
    .map((declaration) => {
      const type = classes[declaration.name.text];
      return { name: type.name, meaning: meaningOf(declaration), actions: actionsOf(type), fields: fieldsOf(type) };
    });
}

/** Of what happens to developers and to admins alike, one each. */
function actionsOf({ activity }) {
  if (typeof activity?.action !== 'function') return activity ? [activity.action] : [];
  return ['consumer', 'admin'].map((context) => activity.action({ context }));
}

// Whatever it is created from, an event keeps the fields that it declares.
function fieldsOf(type) {
  const anything = new Proxy(() => anything, { get: () => anything });
  return Object.keys(new type(anything)).filter((name) => name !== 'occurredAt');
}

function meaningOf(declaration) {
  const [comment] = ts.getJSDocCommentsAndTags(declaration);
  const text = ts.getTextOfJSDocComment(comment?.comment) ?? '';
  // Ids of security rules (S79, R12) mean nothing outside of the source.
  const said = text
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s*\((?:[SR]\d+(?:, )?)+\)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return said === '' ? sentenceOf(declaration.name.text) : said;
}

/** `MenuItemCreatedEvent` → `A menu item was created.` */
function sentenceOf(name) {
  const words = name
    .replace(/Event$/, '')
    .match(/[A-Z][a-z]*/g)
    .map((word) => word.toLowerCase());
  const happened = words.pop();
  const article = /^[aeiou]/.test(words[0]) && words[0] !== 'user' ? 'An' : 'A';
  return `${article} ${words.join(' ')} was ${happened}.`;
}
