import { spawn } from 'node:child_process';
import { once } from 'node:events';

const END = /\u001e(\d+)\u001e/;

/** A real bash: what is typed runs in it, and what it prints is what is shown. Variables live on from one command to the next. */
export class Terminal {
  #shell;
  #show;
  #printed = '';
  #heard = () => undefined;

  /** @param {{ cwd: string, env: Record<string, string> }} place @param {(text: string) => void} show what is to be added */
  constructor({ cwd, env }, show) {
    this.#show = show;
    // Its own process group, so that whatever it starts ends with it.
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true, stdio: 'pipe' });
    this.#shell.stdin.write('exec 2>&1\n');
    this.#shell.stdout.setEncoding('utf8').on('data', (chunk) => this.#hear(chunk));
    this.#shell.once('close', () => this.#heard());
    this.closed = once(this.#shell, 'close');
  }

  /** @returns {Promise<{ output: string, code: number }>} when the command ended */
  async run(command) {
    this.#printed = '';
    this.#shell.stdin.write(`{ ${command}\n} </dev/null; printf '\\036%d\\036' $?\n`);
    const end = await this.until(END);
    return { output: this.#printed.slice(0, end.index), code: Number(end[1]) };
  }

  /** Starts what goes on. */
  start(command) {
    this.#printed = '';
    this.#shell.stdin.write(`${command} </dev/null; printf '\\036%d\\036' $?\n`);
  }

  /** Waits for what is printed. @param {RegExp} wanted @returns {Promise<RegExpExecArray>} */
  async until(wanted) {
    for (;;) {
      const found = wanted.exec(this.#printed);
      if (found) return found;
      if (this.#isOver || END.test(this.#printed))
        throw new Error(`it ended before it said ${wanted}:\n${this.#printed}`);
      await new Promise((resolve) => (this.#heard = resolve));
    }
  }

  get #isOver() {
    return this.#shell.exitCode !== null || this.#shell.signalCode !== null;
  }

  async end() {
    if (this.#isOver) return;
    process.kill(-this.#shell.pid, 'SIGTERM');
    // A shell that reads commands ignores the signal; it ends with its input.
    this.#shell.stdin.end();
    await this.closed;
  }

  #hear(chunk) {
    this.#printed += chunk;
    this.#show(chunk.replace(END, ''));
    this.#heard();
  }
}
