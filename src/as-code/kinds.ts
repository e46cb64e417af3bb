import { guides, news } from './guide-kind.js';
import { menus } from './menu-kind.js';
import { plans } from './plan-kind.js';
import { products } from './product-kind.js';
import { audiences, categories, roles, settings } from './simple-kinds.js';
import { webhooks } from './webhook-kind.js';
import type { Kind } from './kind.js';

/** Every kind in the order in which records need each other. */
export const kinds: readonly Kind[] = [
  ...[roles, settings, categories, audiences, plans, products, guides, news, menus, webhooks],
];
