import { arrayOf, isObject, LONGEST_TEXT, objectOf, readString, type JsonObject } from './lookup.js';

/** A longer name is cut, alike where it is declared and where it is used. */
export const LONGEST_TAG = 200;

export interface IndexedTag {
  readonly name: string;
  /** As it is shown, where that is not the name. */
  readonly title: string;
  readonly description: string;
  /** Of OpenAPI 3.2: `nav` for a part of the navigation, which is usual, `badge`, `audience` and others for a mark. */
  readonly kind: string;
  readonly parent: string;
  readonly docs: { readonly name: string; readonly url: string };
}

/** A heading over several tags, by their numbers. */
interface TagGroup {
  readonly name: string;
  readonly tags: readonly number[];
}

interface Tagged {
  readonly tag: string;
  readonly otherTags: readonly string[];
}

/** In the order of the document's tag list, then of first use. Only tags in use. */
export function tagsOf(document: JsonObject, operations: readonly Tagged[]): IndexedTag[] {
  const used = new Set(operations.flatMap(({ tag, otherTags }) => [tag, ...otherTags]));
  const declared = readDeclaredTags(document);
  const names = [...new Set([...[...declared.keys()].filter((name) => used.has(name)), ...used])];
  return names.map((name) => declared.get(name) ?? tagFrom({ name }));
}

function readDeclaredTags(document: JsonObject): Map<string, IndexedTag> {
  const tags = arrayOf(document.tags).filter(isObject).map(tagFrom);
  return new Map(tags.map((tag) => [tag.name, tag]));
}

function tagFrom(tag: JsonObject): IndexedTag {
  const { url, description } = objectOf(tag.externalDocs);
  return {
    name: readString(tag.name, LONGEST_TAG),
    title: readString(tag['x-displayName']) || readString(tag.summary),
    description: readString(tag.description, LONGEST_TEXT),
    kind: readString(tag.kind),
    parent: readString(tag.parent, LONGEST_TAG),
    docs: { name: readString(description), url: readString(url) },
  };
}

/** Those of `x-tagGroups`, or the tags under each outermost `parent`. */
export function groupsOf(document: JsonObject, tags: readonly IndexedTag[]): TagGroup[] {
  const numbers = new Map(tags.map(({ name }, number) => [name, number]));
  const named = arrayOf(document['x-tagGroups']).filter(isObject);
  const groups = named.map((group) => ({
    name: readString(group.name),
    tags: [...new Set(arrayOf(group.tags).flatMap((name) => numbers.get(readString(name, LONGEST_TAG)) ?? []))],
  }));
  return (named.length > 0 ? groups : groupsByParent(document, tags)).filter((group) => group.tags.length > 0);
}

function groupsByParent(document: JsonObject, tags: readonly IndexedTag[]): TagGroup[] {
  const declared = readDeclaredTags(document);
  const groups = new Map<string, number[]>();
  const parents = new Set([...declared.values()].map(({ parent }) => parent).filter(Boolean));
  for (const [number, { name }] of tags.entries()) {
    const top = findOutermost(name, declared);
    if (top !== name || parents.has(name)) groups.set(top, [...(groups.get(top) ?? []), number]);
  }
  return [...groups].map(([name, numbers]) => ({ name: declared.get(name)?.title || name, tags: numbers }));
}

function findOutermost(name: string, declared: ReadonlyMap<string, IndexedTag>): string {
  const passed = new Set([name]);
  let top = name;
  for (let parent = declared.get(top)?.parent; parent; parent = declared.get(top)?.parent) {
    if (passed.has(parent)) break;
    passed.add(parent);
    top = parent;
  }
  return top;
}
