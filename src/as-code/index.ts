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

export { carryOut, requireCurrent, StalePlan } from './apply.js';
export { exportTo, type Exported } from './export.js';
export { ManagedElsewhere, planMarks, planPrune, readMarks } from './manage.js';
export { FileProblem, readFolder, readManager, type Wanted } from './files.js';
export { actOf, planChanges, PresentRecords, type Act, type Plan, type Step } from './planner.js';
export { tagOf, type AdminPort } from './port.js';
export { OperatorPort, type OperatorParts } from './operator-port.js';
export { planAsMarkdown, planAsText, summaryOf } from './present.js';
export { RestPort } from './rest-port.js';
