import { renderMarkdown } from '../../src/theme/format/markdown.js';

describe('the Markdown of products and categories', () => {
  it('finds links by their scheme, and none that begins with two slashes', () => {
    expect(renderMarkdown('See https://a.example/b or //a.example/b.')).toBe(
      '<p>See <a href="https://a.example/b" rel="noopener noreferrer nofollow">https://a.example/b</a> or //a.example/b.</p>\n',
    );
  });

  it('is laid out within the time of a test, even where it looks like one link after the other', () => {
    for (const piece of ['//a.b/', 'www.', 'a@b.', 'mailto:']) {
      const text = piece.repeat(100_000 / piece.length);
      expect(renderMarkdown(text).length).toBeGreaterThanOrEqual(text.length);
    }
  });
});
