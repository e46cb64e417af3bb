import { ValidationError } from '../../core/index.js';

/** Target of an item: one of the two. */
export interface MenuTarget {
  readonly url?: string | null | undefined;
  readonly route?: string | null | undefined;
}

/**
 * Web and mail addresses and paths of this site, never a script (S66). Browsers read `\` as `/`, so that
 * `/\evil.example` would leave the site; they skip control characters, so that `java\nscript:` would be a script.
 */
const SAFE_URL = /^(?:https?:\/\/[^/]|mailto:[^\s]|\/(?![/\\]))[^\s<>"\\\p{C}]*$|^\/$/iu;
/** A page of the theme, below its prefix. */
const SAFE_ROUTE = /^\/(?![/\\])[^\s<>"\\\p{C}]*$/u;

/** @throws ValidationError on `url` or `route` */
export function requireTarget({ url = null, route = null }: MenuTarget): void {
  if ((url === null) === (route === null)) {
    throw new ValidationError({ url: ['An item has either a url or a route.'] });
  }
  if (url !== null && !SAFE_URL.test(url)) {
    throw new ValidationError({ url: ['url must be a web or mail address, or a path that begins with one slash.'] });
  }
  if (route !== null && !SAFE_ROUTE.test(route)) {
    throw new ValidationError({ route: ['route must be a path that begins with one slash.'] });
  }
}
