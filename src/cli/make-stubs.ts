import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailedError } from './errors.js';
import { requireHostProject } from './host-project.js';
import { showReport } from './project/init-report.js';
import { writeProject } from './project/write-project.js';
import { readStub } from './stubs.js';
import type { Ui } from './ui.js';
import type { StubSet, StubNames } from './stub-set.js';

interface Place {
  readonly cwd: string;
  readonly ui: Ui;
  readonly json: boolean;
}

/**
 * Writes a set of stubs into a host project and explains how to wire them; existing files are not replaced.
 * @throws CommandFailedError outside a host project, and when one of the files exists
 */
export async function makeStubs(set: StubSet, names: StubNames, { cwd, ui, json }: Place): Promise<void> {
  await requireHostProject(cwd);
  const present = Object.keys(set.files(names)).find((path) => existsSync(join(cwd, path)));
  if (present !== undefined) throw new CommandFailedError(`${present} exists already.`, 'choose another name');
  const files = Object.entries(set.files(names)).map(async ([path, stub]) => ({
    path,
    text: await readStub(stub, names),
  }));
  const report = await writeProject(cwd, await Promise.all(files), false);
  const wiring = set.wiring(names);
  if (json) return ui.json({ ...report, wiring });
  showReport(report, ui);
  ui.line();
  ui.line('Add to portal.config.ts:');
  for (const line of wiring) ui.line(`  ${line}`);
  ui.line('Its test runs with: npm test');
}
