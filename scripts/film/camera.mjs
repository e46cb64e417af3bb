import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { listen } from '../demo/listen.mjs';

export const SIZE = { width: 1280, height: 720 };
/** Ten frames a second are enough for pages, and two slow processors manage them. */
const FRAME_MS = 100;

/** Takes one tab, without a pause, from `roll` to `stop`. Each frame keeps the time at which the browser painted it. */
export class Camera {
  #session;
  #folder;
  #frames = [];
  #writing = [];
  #acknowledged = 0;

  /** @param {import('playwright-core').Page} page @param {string} folder for the frames, which exists */
  constructor(page, folder) {
    this.#folder = folder;
    this.page = page;
  }

  async roll() {
    this.#session = await this.page.context().newCDPSession(this.page);
    this.#session.on('Page.screencastFrame', (frame) => this.#keep(frame));
    const size = { maxWidth: SIZE.width, maxHeight: SIZE.height };
    await this.#session.send('Page.startScreencast', { format: 'jpeg', quality: 85, ...size });
  }

  /** @returns {Promise<{ start: number, times: number[] }>} milliseconds since 1970, and when each frame was painted: seconds since the start */
  async stop() {
    await this.#session.send('Page.stopScreencast');
    await Promise.all(this.#writing);
    const [first = 0] = this.#frames;
    return { start: first * 1_000, times: this.#frames.map((at) => at - first) };
  }

  #keep({ data, metadata, sessionId }) {
    // Two frames may come in the wrong order; time goes forward only.
    if (metadata.timestamp > (this.#frames.at(-1) ?? 0)) {
      const file = join(this.#folder, `${this.#frames.push(metadata.timestamp) - 1}.jpg`);
      this.#writing.push(writeFile(file, Buffer.from(data, 'base64')));
    }
    // The browser paints the next one once this one was taken.
    this.#acknowledged = Math.max(Date.now(), this.#acknowledged + FRAME_MS);
    const acknowledge = () => this.#session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
    setTimeout(acknowledge, this.#acknowledged - Date.now());
  }
}

/**
 * Makes a WebM of the frames in a folder, in a page of the browser that took them.
 * @param {import('playwright-core').Browser} browser
 * @param {{ folder: string, times: number[], title: string, comment: string }} take times in seconds from 0
 * @returns {Promise<Buffer>}
 */
export async function developFilm(browser, { folder, ...take }) {
  const entry = fileURLToPath(new URL('encoder.js', import.meta.url));
  const bundle = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, logLevel: 'error' });
  let finish;
  const film = new Promise((resolve) => (finish = resolve));
  const server = createServer(async (request, response) => {
    const name = request.url.slice(1);
    if (request.method === 'POST') {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end();
      return finish(Buffer.concat(chunks));
    }
    if (/^\d+\.jpg$/.test(name)) return response.end(await readFile(join(folder, name)));
    const script = name === 'encoder.js';
    response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html' });
    return response.end(script ? bundle.outputFiles[0].text : '<!doctype html><title>Encoder</title>');
  });
  const { url, close } = await listen(server);
  const page = await browser.newPage();
  try {
    await page.goto(url);
    await page.addScriptTag({ type: 'module', url: '/encoder.js' });
    await page.waitForFunction('window.encodeFilm !== undefined');
    await page.evaluate((facts) => window.encodeFilm(facts), { ...take, ...SIZE });
    return await film;
  } finally {
    await page.close();
    await close();
  }
}
