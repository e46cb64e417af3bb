import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { repositoryFile } from './support.js';

interface Run {
  code: number;
  output: string;
}

interface Facts {
  seconds: number;
  frames: number;
  longestGapSeconds: number;
  bytes: number;
  scenes: string[];
  start: string;
  end: string;
}

interface Seen {
  duration: number;
  size: [number, number];
  /** How many colours a picture has, at three times of the film. */
  colours: number[];
  /** The pixels of those pictures, in short. */
  pictures: string[];
}

/** Plays a film from the bytes of its file, and looks at it where it was told to. */
const WATCH = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const video = document.createElement('video');
  const happened = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
  });
  const loaded = happened('loadeddata');
  video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));
  await loaded;
  const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const seen = { duration: video.duration, size: [canvas.width, canvas.height], colours: [], pictures: [] };
  for (const part of [0.9, 0.2, 0.5]) {
    const sought = happened('seeked');
    video.currentTime = video.duration * part;
    await sought;
    context.drawImage(video, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    seen.colours.push(new Set(new Uint32Array(data.buffer)).size);
    const hash = await crypto.subtle.digest('SHA-256', data);
    seen.pictures.push(btoa(String.fromCharCode(...new Uint8Array(hash))));
  }
  return seen;
}`;

describeWith('chromium', 'npm run film', () => {
  let folder: string;
  let server: Server;
  let site: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portal-film-'));
    server = createServer(({ url }, response) => {
      response.writeHead(url === '/' ? 200 : 404, { 'Content-Type': 'text/html' });
      response.end('<!doctype html><h1>A page</h1>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const film = (...options: string[]) =>
    new Promise<Run>((resolve) => {
      const script = fileURLToPath(repositoryFile('scripts/film/film.mjs'));
      execFile(process.execPath, [script, '--pace', '0', '--folder', folder, ...options], (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });
  const made = (name: string) => join(folder, name);

  it('takes scenes of the real demo in one piece, as a film that plays, seeks and says what it is', async () => {
    const { code, output } = await film('--only', 'tour,key');
    expect([code, output]).toEqual([0, expect.stringContaining('portalkit.webm: ')]);
    const bytes = readFileSync(made('portalkit.webm'));
    const facts = JSON.parse(readFileSync(made('film.json'), 'utf8')) as Facts;
    expect(facts).toMatchObject({ scenes: ['tour', 'key'], bytes: bytes.length, width: 1280, height: 720 });
    expect(Date.parse(facts.end) - Date.parse(facts.start)).toBeCloseTo(facts.seconds * 1_000, -1);
    expect(facts.longestGapSeconds).toBeLessThan(5);
    const captions = readFileSync(made('portalkit.vtt'), 'utf8');
    expect(captions).toMatch(/^WEBVTT\n\n1\n00:00:0\d\.\d{3} --> 00:0\d:\d\d\.\d{3}\nTour: The demo begins/);
    expect(captions).toContain('Get a key: The app has its key at once.');

    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(site);
      const seen = await page.evaluate<Seen>(`(${WATCH})(${JSON.stringify(bytes.toString('base64'))})`);
      expect(seen.size).toEqual([1280, 720]);
      // The last picture stays for a second.
      expect(seen.duration).toBeCloseTo(facts.seconds + 1, 0);
      // Between two pages there is little more than the captions.
      for (const colours of seen.colours) expect(colours).toBeGreaterThan(10);
      expect(new Set(seen.pictures).size).toBe(3);
    } finally {
      await browser.close();
    }
  }, 600_000);

  it.each([
    ['a page that answers 404', 'await actor.go(site + "/gone");', /\/gone answered 404/],
    ['something that is not on the page', 'await actor.go(site); await actor.click("#gone");', /waiting for locator/],
    [
      'a command that says something else',
      'await actor.run(shell, "echo 401", { says: /200/ });',
      /did not say \/200\//,
    ],
    ['a command that ends otherwise', 'await actor.run(shell, "exit 3", { says: /200/ });', /it ended before it said/],
    ['what goes on and ends', 'shell.start("echo gone"); await shell.until(/Ready/);', /it ended before it said/],
  ])('leaves no film of %s', async (_what, steps, fault) => {
    const story = join(folder, 'story.mjs');
    writeFileSync(
      story,
      `const site = ${JSON.stringify(site)};
       export const setStage = (actor) => ({ actor, shell: actor.openTerminal({ cwd: '/', env: {} }) });
       export const scenes = [{ name: 'wrong', title: 'Wrong', async play({ actor, shell }) { ${steps} } }];`,
    );
    writeFileSync(made('portalkit.webm'), 'of a run before');
    const { code, output } = await film('--story', story, '--patience', '1');
    expect([code, output]).toEqual([1, expect.stringMatching(fault)]);
    expect(['portalkit.webm', 'portalkit.vtt', 'film.json'].filter((name) => existsSync(made(name)))).toEqual([]);
    expect(existsSync(made('failed.png'))).toBe(true);
  });
});
