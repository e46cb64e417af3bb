import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { AppState, DeveloperState, KeyState } from './apigee-model.js';
import type { ApigeeOrganization } from './apigee-organization.js';

type StoredKey = Omit<KeyState, 'products'> & { readonly products: readonly [string, KeyState['status']][] };
type StoredApp = Omit<AppState, 'keys'> & { readonly keys: readonly StoredKey[] };
type StoredDeveloper = Omit<DeveloperState, 'apps'> & { readonly apps: readonly StoredApp[] };

/** Loads the records of an earlier run; without a file the organization stays empty. */
export function readOrganization(file: string, organization: ApigeeOrganization): void {
  if (!existsSync(file)) return;
  const developers = JSON.parse(readFileSync(file, 'utf8')) as readonly StoredDeveloper[];
  for (const developer of developers) organization.restore(restoreDeveloper(developer));
}

/** Replaces the file atomically: a crash leaves the old one. */
export function writeOrganization(file: string, { developers }: ApigeeOrganization): void {
  const stored = [...developers.values()].map((developer) => ({
    ...developer,
    apps: [...developer.apps.values()].map((app) => ({
      ...app,
      keys: app.keys.map((key) => ({ ...key, products: [...key.products] })),
    })),
  }));
  writeFileSync(`${file}.new`, JSON.stringify(stored), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function restoreDeveloper({ apps, ...developer }: StoredDeveloper): DeveloperState {
  const states = apps.map(({ keys, ...app }): [string, AppState] => [
    app.name,
    { ...app, keys: keys.map(({ products, ...key }) => ({ ...key, products: new Map(products) })) },
  ]);
  return { ...developer, apps: new Map(states) };
}
