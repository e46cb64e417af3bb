import { spawn } from 'node:child_process';
import { once } from 'node:events';

const GRACE_MS = 10_000;
const KEPT_OUTPUT = 200_000;
/**
 * What a child may see of our environment. A DATABASE_URL or APP_ENV of the caller's shell would win over the demo's own
 * `.env` and send its migrations somewhere real.
 */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TERM|NO_COLOR|FORCE_COLOR|TMPDIR|TEMP|TMP|CI|SystemRoot|COMSPEC|APPDATA|LOCALAPPDATA|USERPROFILE|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(https?|no|all)_proxy|npm_config_\w+)$/i;

const childEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)));

/** A step that did not work; `output` is what it printed. */
export class StepFailed extends Error {
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/** Runs the steps of the demo one after another and ends everything it started. */
export class Steps {
  #children = new Set();
  #started = Date.now();
  #print;

  /** @param {(line: string) => void} print */
  constructor(print) {
    this.#print = print;
  }

  /** Counts from now on. */
  startOver() {
    this.#started = Date.now();
  }

  elapsed() {
    return `${((Date.now() - this.#started) / 1000).toFixed(1).padStart(5)} s`;
  }

  /** Says what is being done, does it, and names it when it fails. */
  async step(title, work) {
    this.#print(`[${this.elapsed()}] ${title} …`);
    try {
      return await work();
    } catch (error) {
      throw new StepFailed(`${title}: ${error.message}`, error.output ?? '');
    }
  }

  /**
   * Runs a command to its end and answers its standard output.
   * @param {string[]} command program and arguments
   * @param {{ cwd?: string, input?: string }} [options] input goes to its standard input
   */
  async run([program, ...args], { cwd, input = '' } = {}) {
    const { child, output } = this.#spawn(program, args, cwd, 'pipe');
    child.stdin.on('error', () => undefined); // a command that does not read its input is no failure
    child.stdin.end(input);
    const [code, signal] = await once(child, 'close');
    if (code !== 0) throw new StepFailed(`ended with ${signal ?? `exit code ${code}`}`, output.text);
    return output.stdout;
  }

  /** Starts a command that keeps running. `ended` rejects when it ends by itself. @param env comes on top of what is passed on */
  start([program, ...args], { cwd, env } = {}) {
    const { child, output } = this.#spawn(program, args, cwd, 'ignore', env);
    const ended = once(child, 'close').then(([code, signal]) => {
      throw new StepFailed(`${args[0]} ended with ${signal ?? `exit code ${code}`}`, output.text);
    });
    return { ended };
  }

  /** Ends every child with all that it started; what does not listen within ten seconds is killed. */
  async end() {
    const children = [...this.#children];
    for (const child of children) this.#signal(child, 'SIGTERM');
    const killing = setTimeout(() => this.kill(), GRACE_MS);
    await Promise.all(children.map((child) => child.closed));
    clearTimeout(killing);
  }

  kill() {
    for (const child of this.#children) this.#signal(child, 'SIGKILL');
  }

  #spawn(program, args, cwd, stdin, env = {}) {
    const stdio = [stdin, 'pipe', 'pipe'];
    // Its own process group, so that whatever it starts can be ended with it.
    const child = spawn(program, args, { cwd, env: { ...childEnvironment(), ...env }, stdio, detached: true });
    const output = { stdout: '', text: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output.stdout += chunk;
      output.text = (output.text + chunk).slice(-KEPT_OUTPUT);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => (output.text = (output.text + chunk).slice(-KEPT_OUTPUT)));
    child.closed = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
    this.#children.add(child);
    child.closed.then(() => this.#children.delete(child));
    return { child, output };
  }

  #signal(child, signal) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}
