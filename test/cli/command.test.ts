import { PassThrough } from 'node:stream';
import { defineCommand, type AnyCommand } from '../../src/cli/command.js';
import { CommandFailedError } from '../../src/cli/errors.js';
import { runCommandLine } from '../../src/cli/main.js';
import { ConflictError, ValidationError } from '../../src/core/index.js';

async function run(command: AnyCommand, argv: readonly string[] = []) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const groups = [{ title: 'Try', commands: [{ name: 'try', summary: 'try', load: () => Promise.resolve(command) }] }];
  const exitCode = await runCommandLine(['try', ...argv], groups, '/', streams);
  const read = (stream: PassThrough) => String((stream.read() as Buffer | null) ?? '');
  return { exitCode, stdout: read(streams.stdout), stderr: read(streams.stderr) };
}

const failing = (error: Error) =>
  defineCommand({
    name: 'try',
    summary: 'try',
    description: 'Tries.',
    example: 'portal try',
    reports: true,
    run: () => Promise.reject(error),
  });

describe('a command', () => {
  const command = defineCommand({
    name: 'try',
    summary: 'try',
    description: 'Tries.',
    example: 'portal try',
    arguments: { name: { description: 'name' }, other: { description: 'other', optional: true } },
    options: {
      step: { type: 'integer', description: 'steps', default: 1 },
      database: { type: 'choice', choices: ['sqlite', 'mysql'], description: 'database' },
      dryRun: { type: 'flag', description: 'dry' },
      install: { type: 'flag', description: 'install', default: true },
      only: { type: 'list', description: 'paths' },
    },
    run: async ({ args, options, ui, cwd }) => {
      ui.line(JSON.stringify({ args, options, cwd }));
      return options.step;
    },
  });

  it('reads arguments and options, with their defaults', async () => {
    const { stdout, exitCode } = await run(command, ['a']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      args: { name: 'a' },
      options: { step: 1, dryRun: false, install: true },
      cwd: '/',
    });
  });

  it('reads what is given', async () => {
    const argv = ['a', 'b', '--step', '0', '--database', 'mysql', '--dry-run', '--no-install', '--only', 'x', 'y'];
    const { stdout, exitCode } = await run(command, argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      args: { name: 'a', other: 'b' },
      options: { step: 0, database: 'mysql', dryRun: true, install: false, only: ['x', 'y'] },
      cwd: '/',
    });
  });

  it.each([[[]], [['a', '--step', 'x']], [['a', '--database', 'oracle']], [['a', '--json']]])(
    'refuses %j with exit code 2',
    async (argv) => {
      const { exitCode, stdout } = await run(command, argv);
      expect([exitCode, stdout]).toEqual([2, '']);
    },
  );
});

describe('a command that fails', () => {
  it('tells an expected failure with its fix', async () => {
    const { stderr, exitCode } = await run(failing(new CommandFailedError('No database.', 'start it')));
    expect([exitCode, stderr]).toEqual([1, 'Error: No database.\nFix: start it.\n']);
  });

  it('tells refusals of the business field by field, without a stack', async () => {
    const { stderr } = await run(failing(new ValidationError({ email: ['E-mail is taken.'] })));
    expect(stderr).toBe('Error: Validation failed.\nemail: E-mail is taken.\n');
    expect((await run(failing(new ConflictError()))).exitCode).toBe(1);
  });

  it('keeps the stack of the unexpected for --verbose', async () => {
    const error = new Error('boom');
    expect((await run(failing(error))).stderr).toMatch(/^Error: boom\nRun again with --verbose/);
    expect((await run(failing(error), ['--verbose'])).stderr).toContain('    at ');
  });

  it('reports as JSON with --json', async () => {
    const { stdout } = await run(failing(new ConflictError()), ['--json']);
    expect(JSON.parse(stdout)).toEqual({ error: { type: 'conflict', message: 'Conflict.' } });
  });
});

describe('a question without a terminal', () => {
  it('names the flag that answers it', async () => {
    const asking = defineCommand({
      name: 'try',
      summary: 'try',
      description: 'Tries.',
      example: 'portal try',
      run: async ({ ui }) => ui.line(await ui.askText({ message: 'E-mail?', flag: '--email' })),
    });
    const { stderr, exitCode } = await run(asking);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--email is required');
  });
});

describe('progress without a terminal', () => {
  it('is a few plain lines on standard error', async () => {
    const working = defineCommand({
      name: 'try',
      summary: 'try',
      description: 'Tries.',
      example: 'portal try',
      run: async ({ ui }) => {
        await ui.progress('Seeding', async (progress) => {
          for (let done = 1; done <= 100; done++) progress.advance(done, 100);
        });
      },
    });
    const { stderr, stdout } = await run(working);
    expect(stdout).toBe('');
    expect(stderr.split('\n')).toHaveLength(13);
    expect(stderr).toMatch(/^Seeding …\nSeeding: 10\/100\n[^]*Seeding: 100\/100\nSeeding: done\n$/);
  });
});
