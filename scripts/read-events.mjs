// What a file of event classes says, read from its source: names, the sentences above them, and their fields with those of
// the classes they extend.
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/**
 * @param {string} file with event classes
 * @param {string} door the file that exports what is public
 * @returns {Promise<{ name: string, meaning: string, fields: string[] }[]>} in the order of the file
 */
export async function readEvents(file, door) {
  const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const isPublic = new Set((await readFile(door, 'utf8')).match(/\b[A-Z]\w+Event\b/g));
  const classes = source.statements.filter(ts.isClassDeclaration);
  const byName = new Map(classes.map((declaration) => [declaration.name.text, declaration]));
  const isAbstract = ({ modifiers = [] }) => modifiers.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword);
  return classes
    .filter((declaration) => !isAbstract(declaration) && isPublic.has(declaration.name.text))
    .map((declaration) => ({
      name: declaration.name.text,
      meaning: meaningOf(declaration),
      fields: fieldsOf(declaration, byName),
    }));
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
  return said === '' ? wordsOf(declaration.name.text) : said;
}

/** `MenuItemCreatedEvent` → `A menu item was created.` */
function wordsOf(name) {
  const words = name
    .replace(/Event$/, '')
    .match(/[A-Z][a-z]*/g)
    .map((word) => word.toLowerCase());
  const happened = words.pop();
  const article = /^[aeiou]/.test(words[0]) && words[0] !== 'user' ? 'An' : 'A';
  return `${article} ${words.join(' ')} was ${happened}.`;
}

function fieldsOf(declaration, byName) {
  const base = declaration.heritageClauses?.[0]?.types[0]?.expression.getText();
  const inherited = byName.has(base) ? fieldsOf(byName.get(base), byName) : [];
  const own = declaration.members.filter(ts.isPropertyDeclaration).map(({ name }) => name.getText());
  return [...new Set([...inherited, ...own])];
}
