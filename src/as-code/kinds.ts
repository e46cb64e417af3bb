import { guideKind, newsKind } from './guide-kind.js';
import { menuKind } from './menu-kind.js';
import { planKind } from './plan-kind.js';
import { productKind } from './product-kind.js';
import { audienceKind, categoryKind, roleKind, settingKind } from './simple-kinds.js';
import { webhookKind } from './webhook-kind.js';
import type { Kind } from './kind.js';

/** Every kind in the order in which records need each other. */
export const kinds: readonly Kind[] = [
  ...[
    roleKind,
    settingKind,
    categoryKind,
    audienceKind,
    planKind,
    productKind,
    guideKind,
    newsKind,
    menuKind,
    webhookKind,
  ],
];
