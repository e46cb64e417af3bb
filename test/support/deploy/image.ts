import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { execa } from 'execa';
import { readPairs, type Stage, type Step } from './dockerfile.js';

// Its types say a default export, it is a function.
const dockerignore = createRequire(import.meta.url)('@balena/dockerignore') as () => {
  add(patterns: string): { ignores(path: string): boolean };
};

/** Limits the life of processes whose test was killed. */
const LONGEST_LIFE_S = 1_200;
/** Environment variables that npm needs to reach its registry. */
const PASSED_ON = /^(PATH|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(https?|no|all)_proxy|npm_config_\w+)$/i;

interface Settings {
  directory: string;
  user: string;
  environment: Record<string, string>;
  /** Folders of the layers below, the nearest first. */
  below: string;
}

/**
 * Builds a Dockerfile without a container engine: each stage is a layer over this machine's file system in a private mount
 * namespace. This machine stands in for the base image, which is also Debian with Node, in another version. Needs Linux
 * and root.
 */
export class Image {
  private constructor(
    private readonly folder: string,
    private readonly context: string,
    private readonly holder: ChildProcess,
    private readonly stages: Map<string, Settings>,
    private last: string,
  ) {}

  /** @param project build context, from which .dockerignore excludes files */
  static async build(project: string, stages: readonly Stage[]): Promise<Image> {
    const folder = await mkdtemp(join(tmpdir(), 'portalkit-image-'));
    const context = join(folder, 'context');
    await copyContext(project, context);
    const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sleep', String(LONGEST_LIFE_S)]);
    const image = new Image(folder, context, holder, new Map(), '');
    await image.hasOwnNamespace();
    await image.enter(`mkdir ${folder}/layers && mount -t tmpfs tmpfs ${folder}/layers`);
    for (const stage of stages) await image.addStage(stage);
    return image;
  }

  /** Another stage of the same Dockerfile, like `docker build --target`. It goes with the image that it is taken of. */
  stage(name: string): Image {
    return new Image(this.folder, this.context, this.holder, this.stages, name);
  }

  /** Builds stages that begin `FROM` one of this image's, of a context of their own. The result goes with this image. */
  async extend(project: string, stages: readonly Stage[]): Promise<Image> {
    const context = `${this.context}-${stages.at(-1)?.name ?? ''}`;
    await copyContext(project, context);
    const image = new Image(this.folder, context, this.holder, this.stages, '');
    for (const stage of stages) await image.addStage(stage);
    return image;
  }

  /** How to run the final stage. */
  get settings(): Settings {
    return this.stages.get(this.last) ?? { directory: '/', user: '0:0', environment: {}, below: '/' };
  }

  /** Like `docker run --volume SOURCE:TARGET:ro`. */
  async mount(source: string, target: string): Promise<void> {
    const place = this.rootOf(this.last) + target;
    await this.enter(`mount --bind ${source} ${place} && mount -o remount,bind,ro ${place}`);
  }

  /** Like `docker run --volume NAME:TARGET`: a new volume has owner and mode of the folder that it covers. */
  async mountVolume(target: string): Promise<void> {
    const place = this.rootOf(this.last) + target;
    const volume = `${this.folder}/layers/${this.last}/volume`;
    const copied = ['chown', 'chmod'].map((program) => `${program} --reference=${place} ${volume}`).join(' && ');
    await this.enter(`mkdir ${volume} && ${copied} && mount --bind ${volume} ${place}`);
  }

  /** Files that were made or changed by the image's user since the image was begun, volumes aside. */
  async listWritten(): Promise<string[]> {
    const [user = ''] = this.settings.user.split(':');
    const find = ['find', `${this.folder}/layers/${this.last}/upper`, '-uid', user, '-printf', '/%P\\n'];
    const [program = '', ...args] = [...this.entrance(), ...find];
    return (await execa(program, args)).stdout.split('\n').filter((path) => path !== '');
  }

  /** Makes all but an in-memory /tmp read-only, like `docker run --read-only --tmpfs /tmp`. */
  async makeReadOnly(): Promise<void> {
    const root = this.rootOf(this.last);
    await this.enter(`mount -o remount,ro ${root} && mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`);
  }

  /** Like `docker exec`, by default as the image's user. */
  run(command: readonly string[], environment: Record<string, string> = {}, user = this.settings.user) {
    const [program = '', ...args] = this.entering(command, environment, user);
    return execa(program, args, { reject: false });
  }

  /** Like `docker run`: the command is process 1 of a PID namespace, which has no default signal handlers. */
  start(command: readonly string[], environment: Record<string, string>): ContainedProcess {
    const [program = '', ...args] = this.entering(command, environment, this.settings.user, [
      ...['unshare', '--pid', '--fork', '--kill-child=SIGKILL'],
    ]);
    return new ContainedProcess(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  async remove(): Promise<void> {
    this.holder.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private entering(command: readonly string[], environment: object, user: string, inside: readonly string[] = []) {
    const { directory, environment: own } = this.settings;
    const variables = Object.entries({ PATH: process.env.PATH, ...own, ...environment });
    const assignments = variables.map(([name, value]) => `${name}=${String(value)}`);
    const confined = ['setpriv', '--no-new-privs', 'chroot', `--userspec=${user}`, this.rootOf(this.last)];
    const shell = ['sh', '-c', 'cd "$0" && exec "$@"', directory];
    return [...this.entrance(), ...inside, ...confined, 'env', '-i', ...assignments, ...shell, ...command];
  }

  private entrance(): string[] {
    return ['nsenter', '--mount', '--target', String(this.holder.pid)];
  }

  /** Runs a line of shell inside the namespace, as root. @throws Error with its output */
  private async enter(script: string): Promise<void> {
    const [program = '', ...args] = this.entrance();
    await execa(program, [...args, 'sh', '-ec', script]);
  }

  // The holder exists before it has left our namespace.
  private async hasOwnNamespace(): Promise<void> {
    const ours = await namespaceOf('self');
    while ((await namespaceOf(String(this.holder.pid))) === ours) {
      if (this.holder.exitCode !== null) throw new Error('unshare --mount is not allowed here');
    }
  }

  private rootOf(stage: string): string {
    return `${this.folder}/layers/${stage}/root`;
  }

  private async addStage({ name, base, steps }: Stage): Promise<void> {
    const layer = `${this.folder}/layers/${name}`;
    const parent = this.stages.get(base);
    const below = parent === undefined ? '/' : `${this.folder}/layers/${base}/upper:${parent.below}`;
    const options = `lowerdir=${below},upperdir=${layer}/upper,workdir=${layer}/work`;
    await this.enter(
      `mkdir -p ${layer}/upper ${layer}/work ${layer}/root && mount -t overlay -o ${options} overlay ${layer}/root && ` +
        `mount --rbind /dev ${layer}/root/dev && mount -t proc proc ${layer}/root/proc`,
    );
    const { directory = '/', user = '0:0', environment = {} } = parent ?? {};
    this.stages.set(name, { directory, user, environment: { ...environment }, below });
    this.last = name;
    for (const step of steps) await this.addStep(step);
  }

  private async addStep({ keyword, text }: Step): Promise<void> {
    const root = this.rootOf(this.last);
    const settings = this.settings;
    if (keyword === 'WORKDIR') settings.directory = text;
    if (keyword === 'WORKDIR') await this.enter(`mkdir -p ${root}${text}`);
    if (keyword === 'USER') settings.user = text;
    if (keyword === 'ENV') Object.assign(settings.environment, readPairs(text));
    if (keyword === 'COPY') await this.copy(text, root, settings.directory);
    if (keyword !== 'RUN') return;
    const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
    const outside = { ...Object.fromEntries(passed), HOME: process.env.HOME ?? '/root' } as Record<string, string>;
    const { exitCode, stderr } = await this.run(['sh', '-ec', text], outside);
    if (exitCode !== 0) throw new Error(`RUN ${text} ended with ${exitCode}: ${stderr}`);
  }

  private async copy(text: string, root: string, directory: string): Promise<void> {
    const words = text.split(/\s+/);
    const from = /^--from=(\w+)$/.exec(words[0] ?? '')?.[1];
    const places = from === undefined ? words : words.slice(1);
    const base = from === undefined ? this.context : this.rootOf(from);
    const target = root + resolve(directory, places.at(-1) ?? '.');
    for (const source of places.slice(0, -1)) {
      // COPY copies the content of a folder.
      await this.enter(
        `mkdir -p ${target}; if [ -d ${base}/${source} ]; then cp -a ${base}/${source}/. ${target}/; ` +
          `else cp -a ${base}/${source} ${target}/; fi; chown -R 0:0 ${target}`,
      );
    }
  }
}

/** The process that `docker stop` would signal. */
export class ContainedProcess {
  private text = '';
  private readonly ended: Promise<unknown[]>;

  constructor(private readonly starter: ChildProcess) {
    this.ended = once(starter, 'close');
    for (const stream of [starter.stdout, starter.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    }
  }

  output(): string {
    return this.text;
  }

  /** Signals the process itself, not its launcher. @returns the exit code */
  async end(signal: NodeJS.Signals): Promise<number> {
    const { pid } = this.starter;
    const [child] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    process.kill(Number(child), signal);
    const [code] = await this.ended;
    return Number(code);
  }
}

function namespaceOf(pid: string): Promise<string> {
  return execa('readlink', [`/proc/${pid}/ns/mnt`], { reject: false }).then(({ stdout }) => stdout);
}

async function copyContext(project: string, context: string): Promise<void> {
  const ignored = dockerignore().add(await readFile(join(project, '.dockerignore'), 'utf8'));
  await mkdir(context);
  for (const entry of await readdir(project, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(project.length + 1);
    if (entry.isDirectory() || ignored.ignores(path)) continue;
    await mkdir(dirname(join(context, path)), { recursive: true });
    await cp(join(project, path), join(context, path));
  }
}

/** Why images cannot be built here; undefined if they can. */
export async function whyNoImages(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root';
  const script = 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r && ';
  const overlay = 'mount -t overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w overlay /mnt/r';
  const { exitCode, stderr } = await execa('unshare', ['--mount', 'sh', '-ec', script + overlay], { reject: false });
  return exitCode === 0 ? undefined : `mount namespaces or overlays are not allowed here: ${stderr.slice(0, 200)}`;
}
