import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../core/manifest.js';
import { checkTranslation, TemplateFiles, translatableWords } from '../templates/index.js';
import type { DomainBase } from './base.js';

/** Folders of templates and messages, in order of precedence: the host's, then the modules', then the package's. */
export function templateFolders({ config, root, modules }: DomainBase): string[] {
  const ofModules = modules.flatMap(({ templates }) => (templates === undefined ? [] : [folderOf(templates, root)]));
  return [resolve(root, config.theme.viewsDir), ...ofModules, join(packageFolder(), 'templates')];
}

/** The translatable messages, and how complete each locale is. */
export function translations(base: DomainBase) {
  const files = new TemplateFiles(templateFolders(base));
  const { locale: fallback } = base.config.theme;
  return {
    check: (locale: string) => checkTranslation(files, fallback, locale),
    translatable: (locale: string) => translatableWords(files, fallback, locale),
  };
}

function folderOf(templates: string | URL, root: string): string {
  const isAddress = templates instanceof URL || templates.startsWith('file:');
  return isAddress ? fileURLToPath(templates) : resolve(root, templates);
}
