const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands in HTML or XML, also between quotes. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** A text in one line: each run of white space becomes a single space. */
export function foldSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
