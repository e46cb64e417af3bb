import type { PortalRoute } from '../api/index.js';

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Health: 'Probes for load balancers and orchestrators.',
  Portal: 'What a front end needs before anybody signs in.',
  Authentication: 'Registering, signing in and out, and getting back in.',
  'API products': 'The catalog as developers and visitors see it.',
  Guides: 'Guides and news, as developers and visitors read them.',
  Banners: 'Maintenance, incidents and news that pages tell of.',
  Search: 'One search over everything that a reader may see.',
  Profile: 'The account of the signed-in developer.',
  Apps: 'The apps of the signed-in developer.',
  Teams: 'Teams of the signed-in developer: companies that share apps.',
  Usage: 'How often APIs were called, what they answered, and what plans allow.',
  Credentials: 'The keys of an app, and the products they open.',
  'Admin authentication': 'Signing in and out as an admin.',
  'Admin profile': 'The account of the signed-in admin.',
  Users: 'The accounts of developers.',
  'All teams': 'Teams of developers, and who is in them.',
  'Apps of developers': 'Apps of all developers, and their approval.',
  'Credentials of developers': 'Keys of all developers, and their approval.',
  Approvals: 'What waits for a decision.',
  Products: 'The catalog, drafts included.',
  Categories: 'Shelves of the catalog.',
  Audiences: 'Who sees private products.',
  'Guides of the portal': 'Guides and news, drafts included.',
  'Banners of the portal': 'What stands on the pages of a product or the portal for some time.',
  Menus: 'Navigation of the web pages.',
  Settings: 'Values that admins change while the portal runs.',
  Activities: 'Who did what, and when.',
  Dashboard: 'Numbers at a glance.',
  'Own webhooks': 'Addresses that are told what happens to own apps.',
  'Webhooks of teams': 'Addresses that are told what happens to the apps of a team.',
  Webhooks: 'Addresses that are told of all events.',
  'Searches without result': 'What readers looked for in vain.',
  Operation: 'Mails and background jobs.',
  Admins: 'The accounts of admins.',
  Roles: 'Roles of admins, and what they permit.',
  Permissions: 'What roles can permit.',
  'Service tokens': 'Accounts of machines.',
  'Managed records': 'What files in a repository describe.',
  'Saved views': 'Lists with their filters and order, under a name.',
};

export const GROUP_NAMES = { consumer: 'Developers', admin: 'Admins' } as const;

/** The tags in the order in which routes use them; those of a host are named after its portal. */
export function describeTags(routes: readonly PortalRoute[], portal: string): Tag[] {
  return tagsOf(routes).map((name) => ({ name, description: DESCRIPTIONS[name] ?? `${name}, of ${portal}.` }));
}

/** The tags of both contexts; one that occurs in both is listed where it occurs first. */
export function groupTags(routes: readonly PortalRoute[]): TagGroup[] {
  const seen = new Set<string>();
  return (['consumer', 'admin'] as const).flatMap((context) => {
    const tags = tagsOf(routes.filter((route) => route.context === context)).filter((name) => !seen.has(name));
    for (const name of tags) seen.add(name);
    return tags.length > 0 ? [{ name: GROUP_NAMES[context], tags }] : [];
  });
}

function tagsOf(routes: readonly PortalRoute[]): string[] {
  return [...new Set(routes.map(({ tag }) => tag))];
}
