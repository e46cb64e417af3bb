import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*\.(?:hbs|txt\.hbs|json)$/;

export interface TemplateFile {
  readonly text: string;
  /** Where it was found. */
  readonly file: string;
}

/**
 * The files of templates and words: what the host published comes first, the rest from the package. Names are the
 * program's own and never a visitor's (S67).
 */
export class TemplateFiles {
  /** @param folders absolute, the first one that has a file gives it */
  constructor(private readonly folders: readonly string[]) {}

  /** @throws Error when no folder has it; naming it, for the log */
  async read(name: string): Promise<TemplateFile> {
    const [file] = await this.readAll(name);
    if (!file) throw new Error(`there is no template ${name} in ${this.folders.join(' or ')}`);
    return file;
  }

  /** Every version of a file, the host's first. */
  async readAll(name: string): Promise<TemplateFile[]> {
    if (!NAME.test(name))
      throw new Error(`not the name of a template (small letters, digits and hyphens): ${JSON.stringify(name)}`);
    const found = await Promise.all(this.folders.map((folder) => readIfThere(join(folder, name))));
    return found.filter((file) => file !== null);
  }
}

async function readIfThere(file: string): Promise<TemplateFile | null> {
  try {
    return { text: await readFile(file, 'utf8'), file };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
