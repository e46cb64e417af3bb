/**
 * `npm run film`: the demo, played by a browser and taken in one piece, as `portalkit.webm` with its captions (`portalkit.vtt`) and
 * what is known of the take (`film.json`), into `.scratch/film/`. What the story asks for and does not happen ends it, and leaves no film.
 *   npm run film [-- --only tour,key] [--pace 0] [--patience 60] [--folder .scratch/film] [--story scripts/film/story.mjs]
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findBrowser } from '../find-browser.mjs';
import { Actor } from './actor.mjs';
import { Camera, developFilm, SIZE } from './camera.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const fileHere = (name) => fileURLToPath(new URL(name, import.meta.url));
/** Nothing can be hidden in a second or two of a page that loads on a busy machine. */
const LONGEST_GAP = 5;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    pace: { type: 'string', default: '1' },
    patience: { type: 'string', default: '60' },
    folder: { type: 'string', default: join(ROOT, '.scratch', 'film') },
    story: { type: 'string', default: fileHere('story.mjs') },
  },
});
const FOLDER = resolve(options.folder);
const FRAMES = join(FOLDER, 'frames');
const MADE = ['portalkit.webm', 'portalkit.vtt', 'film.json'].map((name) => join(FOLDER, name));
const FAILED = join(FOLDER, 'failed.png');
const PROJECT = join(FOLDER, 'larkmere');
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();

const story = await import(pathToFileURL(resolve(options.story)).href);
const scenes = chooseScenes(story.scenes);
for (const file of [FRAMES, FAILED, ...MADE]) await rm(file, { recursive: true, force: true });
await mkdir(FRAMES, { recursive: true });
const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: ['--no-sandbox', '--disable-gpu'],
  ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
});
try {
  const take = await play(scenes);
  process.stdout.write('Developing the film …\n');
  await keep(take);
} finally {
  await browser.close();
  await rm(FRAMES, { recursive: true, force: true });
}

function chooseScenes(all) {
  const named = options.only?.split(',') ?? all.map(({ name }) => name);
  const unknown = named.filter((name) => !all.some((scene) => scene.name === name));
  if (unknown.length > 0) throw new Error(`no such scene: ${unknown}. There are ${all.map(({ name }) => name)}.`);
  return all.filter(({ name }) => named.includes(name));
}

/** From the first frame to the last. @returns what the take is known by */
async function play(chosen) {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', colorScheme: 'light' });
  const actor = new Actor(await context.newPage(), {
    pace: Number(options.pace),
    patience: Number(options.patience),
  });
  const camera = new Camera(actor.page, FRAMES);
  const stage = story.setStage(actor, { root: ROOT, project: PROJECT, shown: relative(ROOT, PROJECT) });
  // The demo and its portal are processes of their own, which would stay.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => void actor.leave().finally(() => process.exit(1)));
  }
  try {
    await actor.prepare(fileHere('overlay.js'));
    await actor.page.goto('about:blank');
    // A story that begins later begins with a demo that runs.
    if (chosen[0] !== story.scenes[0]) await stage.open();
    await actor.begin();
    await camera.roll();
    for (const scene of chosen) {
      process.stdout.write(`${scene.title} …\n`);
      actor.chapter(scene.title);
      await scene.play(stage);
      if (actor.faults.length > 0) throw new Error(actor.faults.join('\n'));
    }
    await actor.read();
    return { ...(await camera.stop()), captions: actor.captions };
  } catch (error) {
    await actor.page.screenshot({ path: FAILED }).catch(() => undefined);
    throw error;
  } finally {
    await actor.leave();
    await context.close();
  }
}

async function keep({ start, times, captions }) {
  const seconds = times.at(-1);
  const longest = Math.max(...times.slice(1).map((at, index) => at - times[index]));
  if (longest > LONGEST_GAP) throw new Error(`the picture stood still for ${longest.toFixed(1)} s`);
  const title = `portalkit ${version}`;
  const film = await developFilm(browser, { folder: FRAMES, times, title, comment: `One take, commit ${commit}` });
  const facts = {
    ...{ portalkit: version, commit, start: new Date(start).toISOString() },
    ...{ end: new Date(start + seconds * 1_000).toISOString(), seconds: Number(seconds.toFixed(3)) },
    ...{ frames: times.length, longestGapSeconds: Number(longest.toFixed(3)), bytes: film.length, ...SIZE },
    scenes: scenes.map(({ name }) => name),
  };
  const made = [film, writeCaptions(captions, start, seconds), `${JSON.stringify(facts, null, 2)}\n`];
  for (const [index, content] of made.entries()) await writeFile(MADE[index], content);
  process.stdout.write(`${MADE[0]}: ${Math.round(seconds)} s, ${(film.length / 1e6).toFixed(1)} MB\n`);
}

function writeCaptions(captions, start, seconds) {
  const stamp = (at) => new Date(Math.max(0, at)).toISOString().slice(11, 23);
  const cues = captions.map(({ at, chapter, caption }, index) => {
    const end = captions[index + 1]?.at ?? start + seconds * 1_000;
    return `${index + 1}\n${stamp(at - start)} --> ${stamp(end - start)}\n${chapter}: ${caption}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}
