import { documentPages } from './document.js';
import { keyPages } from './key.js';
import { referencePages } from './reference.js';

/** The OpenAPI document of a product, for people and for their tools. */
export const specPages = [...referencePages, ...documentPages, ...keyPages];
