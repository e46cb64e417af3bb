import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*\.(?:hbs|txt\.hbs|json)$/;

export interface TemplateFile {
  readonly text: string;
  /** Where it was found. */
  readonly file: string;
}

/**
 * Template and message files: the host's published ones first, then the package's. Names come from our code, never from
 * a visitor (S67).
 */
export class TemplateFiles {
  /** @param folders absolute; the first one with the file wins */
  constructor(private readonly folders: readonly string[]) {}

  /** @throws Error naming the file, for the log, if no folder has it */
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
