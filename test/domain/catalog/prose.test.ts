import { proseOf } from '../../../src/domain/catalog/openapi/prose.js';

const treeOf = (description: string) => proseOf({ description })[0]?.[1] ?? null;

describe('Markdown of descriptions as trees', () => {
  it.each([
    ['emphasis and code', 'A **b** *c* `d`', [['p', 'A ', ['strong', 'b'], ' ', ['em', 'c'], ' ', ['code', 'd']]]],
    ['lists in lists', '1. one\n   - two', [['ol', ['li', 'one', ['ul', ['li', 'two']]]]]],
    ['code of several lines', '```js\nif (a) {\n}\n```', [['pre', ['code', 'if (a) {\n}']]]],
    [
      'headings and line breaks',
      '# A #\nb\\\nc',
      [
        ['h1', 'A'],
        ['p', 'b', ['br'], 'c'],
      ],
    ],
    ['links by reference', '[a]\n\n[a]: https://a.example/b_c', [['p', ['a', 'https://a.example/b_c', 'a']]]],
    [
      'bare addresses',
      'See https://a.example/b.',
      [['p', 'See ', ['a', 'https://a.example/b', 'https://a.example/b'], '.']],
    ],
    ['quotes', '> a\n> b', [['blockquote', ['p', 'a\nb']]]],
    [
      'tables',
      '|a|b|\n|-|-|\n|1|2|',
      [['table', ['thead', ['tr', ['th', 'a'], ['th', 'b']]], ['tbody', ['tr', ['td', '1'], ['td', '2']]]]],
    ],
    ['pictures by their text alone', '*a* ![b](https://evil.example/x.png)', [['p', ['em', 'a'], ' b']]],
    ['HTML by its meaning', '*a* <b onclick=x>b</b><br/>c', [['p', ['em', 'a'], ' ', ['strong', 'b'], ['br'], 'c']]],
    [
      'HTML lists with ends left out',
      '<ul><li>a<li>b &lt;c&gt;</ul>d',
      [
        ['ul', ['li', 'a'], ['li', 'b <c>']],
        ['p', 'd'],
      ],
    ],
    [
      'HTML tables',
      '<table>\n<tr><th>a<td>b<tr><td><code>c</code></table>',
      [['table', ['tr', ['th', 'a'], ['td', 'b']], ['tr', ['td', ['code', 'c']]]]],
    ],
    [
      'Markdown in HTML, and HTML that ends around it',
      '<div>\n\n- **a </div>b**\n\n</div>c',
      [
        ['ul', ['li', ['strong', 'a b']]],
        ['p', 'c'],
      ],
    ],
    [
      'links of HTML',
      `<a class=x href='https://a.example/?b&amp;c'>d</a>`,
      [['p', ['a', 'https://a.example/?b&c', 'd']]],
    ],
    ['list items without a list', '<li>a</li>', [['ul', ['li', 'a']]]],
    [
      'tags that are none, and what would run, as text',
      'Use <your-token> *x* <script>y</script>',
      [['p', 'Use <your-token> ', ['em', 'x'], ' <script>y</script>']],
    ],
    ['no comments, no frames of text', 'a<!-- b --> <span>c</span> <img src=x onerror=y alt="d">', [['p', 'a c d']]],
  ])('has %s', (_what, text, tree) => {
    expect(treeOf(text)).toEqual(tree);
  });

  it('leaves out what is a paragraph without marks, and says a repeated text once', () => {
    for (const text of [
      '',
      ' ',
      'A first-class (well: 2.5) sentence!',
      'two\nlines',
      '<x>',
      '#no heading',
      'a_b_c',
      'a@b.example',
    ]) {
      expect([text, treeOf(text)]).toEqual([text, null]);
    }
    const [first, ...more] = proseOf({ a: [{ description: '*x*' }], description: '*x*', b: { description: ['*y*'] } });
    expect([first?.[0], more]).toEqual(['*x*', []]);
  });

  it('hands addresses on for the script to judge, and guesses none', () => {
    expect(treeOf('[x](javascript:alert(1))')).toEqual([['p', ['a', 'javascript:alert(1)', 'x']]]);
    const guesses = '//a.example/ www.a.example a@b.example mailto:a@b.example ftp://a.example';
    expect(treeOf(`*a* ${guesses}`)).toEqual([['p', ['em', 'a'], ` ${guesses}`]]);
    // Where it is guessed, this takes longer than a test may.
    expect(treeOf('//a.b/'.repeat(8_000))).toBeNull();
  });
});
