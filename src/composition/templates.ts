import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../kernel/manifest.js';
import type { DomainBase } from './base.js';

/** Folders of templates and words, the first that has a file gives it: the host's, then the modules', then the package's. */
export function templateFolders({ config, root, modules }: DomainBase): string[] {
  const ofModules = modules.flatMap(({ templates }) => (templates === undefined ? [] : [folderOf(templates, root)]));
  return [resolve(root, config.theme.viewsDir), ...ofModules, join(packageFolder(), 'templates')];
}

function folderOf(templates: string | URL, root: string): string {
  const isAddress = templates instanceof URL || templates.startsWith('file:');
  return isAddress ? fileURLToPath(templates) : resolve(root, templates);
}
