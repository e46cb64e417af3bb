// Compiles `src/` to `dist/`, as it ships, and, with the tests, to `dist-test/`, file by file: only what has changed since the
// last time. A name of one of the two compiles that alone.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGETS = {
  // The compiler writes the types; scripts/bundle.mjs what runs.
  dist: { config: 'tsconfig.json', sources: 'src', written: /\.d\.ts$/, more: ['--emitDeclarationOnly'] },
  'dist-test': { config: 'tsconfig.test.json', sources: '.', written: /\.js$/ },
};

const named = process.argv.slice(2);
for (const target of named.length > 0 ? named : Object.keys(TARGETS)) compile(target, TARGETS[target]);

function compile(target, { config, sources, written, more = [] }) {
  // What is known of the last time lies with its result, so that both go together.
  const options = ['--incremental', '--tsBuildInfoFile', `${target}/.tsbuildinfo`, ...more];
  run('node_modules/typescript7/bin/tsc', '-p', config, ...options);
  removeOrphans(join(root, target), join(root, sources), written);
  if (target !== 'dist') return;
  run('scripts/bundle.mjs');
  run('scripts/describe-options.mjs');
}

function run(...command) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** What a source that is gone was compiled to: a test would still run, and a migration too. */
function removeOrphans(folder, sources, written) {
  for (const entry of readdirSync(folder, { recursive: true })) {
    if (written.test(entry) && !existsSync(join(sources, entry.replace(written, '.ts')))) rmSync(join(folder, entry));
  }
}
