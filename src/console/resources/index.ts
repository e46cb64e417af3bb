import type { AdminResource } from '../resource.js';
import { activities, admins, permissions, roles, serviceTokens } from './access.js';
import { categories, changelog, deprecations, gatewayProducts, products } from './catalog.js';
import { apps, audiences, keys, overrides, quotaResets, users } from './developers.js';
import { jobs, mails, searches, usage } from './operation.js';
import { plans, planVersions } from './plans.js';
import { guideRemarks, guides, guideVersions, guideVotes } from './guides.js';
import { banners, menuItems, menus, settings } from './site.js';
import { productDocuments, productVersions } from './versions.js';
import { teamCodes, teamDomains, teamMembers, teamRequests, teams } from './teams.js';
import { webhookDeliveries, webhooks } from './webhooks.js';

/** The resources that the console has by itself, in the order of its navigation. */
export const adminResources: readonly AdminResource[] = [
  ...[users, apps, keys, overrides, quotaResets, audiences, teams, teamMembers],
  ...[teamRequests, teamDomains, teamCodes],
  ...[products, changelog, deprecations, plans, planVersions, categories, gatewayProducts],
  ...[guides, guideVersions, guideVotes, guideRemarks, banners, menus, menuItems, settings, searches],
  ...[productVersions, productDocuments],
  ...[admins, roles, permissions, serviceTokens],
  ...[usage, activities, webhooks, webhookDeliveries, mails, jobs],
];
