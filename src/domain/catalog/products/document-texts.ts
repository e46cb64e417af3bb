import { cleanName } from '../../accounts/index.js';
import type { StoredSpec } from '../openapi/stored-spec.js';
import { isStoredSdl } from '../openapi/sdl.js';
import { SLUG } from './product.js';

/** Texts that a product takes from its document. */
export interface DocumentTexts {
  readonly name: string;
  readonly shortDescription: string;
  /** Markdown. */
  readonly description: string;
}

/** A text in a document that a product cannot take, and why. */
export class UnusableTextError extends Error {
  override readonly name = 'UnusableTextError';
}

const LONGEST_NAME = 200;
const LONGEST_SUMMARY = 500;
const LONGEST_DESCRIPTION = 90_000;
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * @param file its name, for documents without a title of their own, as GraphQL schemas are
 * @throws UnusableTextError naming the field of the document
 */
export function documentTexts({ document }: StoredSpec, file: string): DocumentTexts {
  if (isStoredSdl(document)) return textsOfSchema(file);
  const { info } = JSON.parse(document) as { info: Readonly<Record<string, unknown>> };
  const name = cleanName(String(info.title), LONGEST_NAME);
  if (name === null) {
    throw new UnusableTextError(
      `info.title must have 1 to ${LONGEST_NAME} visible characters and no control characters.`,
    );
  }
  const description = textOf(info, 'description', LONGEST_DESCRIPTION);
  const summary = textOf(info, 'summary', LONGEST_SUMMARY).replaceAll(/\s+/g, ' ');
  return { name, shortDescription: summary === '' ? cutFirstSentence(description) : summary, description };
}

/** `pet-store.graphql` → `Pet store`. What the schema says of itself stands in its reference. */
function textsOfSchema(file: string): DocumentTexts {
  const words = withoutExtension(file)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  const name = cleanName(words.charAt(0).toUpperCase() + words.slice(1), LONGEST_NAME);
  if (name === null) throw new UnusableTextError('A GraphQL schema has no title. Give its file the name of the API.');
  return { name, shortDescription: '', description: '' };
}

/** `apis/pet-store.yaml` → `pet-store`. */
export function withoutExtension(file: string): string {
  return (file.split(/[/\\]/).at(-1) ?? '').replace(/\.[^.]*$/, '');
}

function textOf(info: Readonly<Record<string, unknown>>, field: string, longest: number): string {
  const value = info[field] ?? '';
  if (typeof value !== 'string') throw new UnusableTextError(`info.${field} must be text.`);
  const text = value.trim();
  if (CONTROL_CHARACTERS.test(text)) throw new UnusableTextError(`info.${field} must not hold control characters.`);
  if (text.length <= longest) return text;
  throw new UnusableTextError(`info.${field} has ${text.length} characters; a product takes ${longest}.`);
}

// Short descriptions are plain text and would show Markdown literally.
function cutFirstSentence(markdown: string): string {
  const [paragraph = ''] = markdown.split(/\n\s*\n/, 1);
  const line = paragraph.replaceAll(/\s+/g, ' ').trim();
  const [sentence = ''] = /^.*?[.!?؟](?= |$)/u.exec(line) ?? [line];
  return sentence.length <= LONGEST_SUMMARY && !/[#*_`<>[\]|\\]/.test(sentence) ? sentence : '';
}

/**
 * A slug for a title: `Payments API (v2)` → `payments-api-v2`.
 * @returns null when no character of the title is usable
 */
export function slugOf(title: string): string | null {
  const plain = title.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '');
  const slug = words.join('-').replace(/^(?=\d)/, 'api-');
  const short = slug.slice(0, 100).replace(/-$/, '');
  return SLUG.test(short) ? short : null;
}
