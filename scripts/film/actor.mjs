import { setTimeout as pause } from 'node:timers/promises';
import { Terminal } from './terminal.mjs';

const STRIP = 56;
const DOCK = 300;

/**
 * Who plays the story: reads, points, clicks and types as a person does. Whatever does not happen on the page or in the
 * terminal ends the film.
 */
export class Actor {
  #pace;
  #patience;
  #readUntil = 0;
  #terminals = new Set();
  #state = { begun: null, chapter: '', caption: '', size: 'none', text: '', x: 640, y: 360 };
  /** What was said when: `{ at, chapter, caption }` in milliseconds since 1970. */
  captions = [];
  /** What pages did that they must not do. */
  faults = [];

  /**
   * @param {import('playwright-core').Page} page
   * @param {{ pace: number, patience: number }} how pace 1 for a person, 0 without any pause; patience in seconds, for what has to come
   */
  constructor(page, { pace, patience }) {
    this.page = page;
    this.#pace = pace;
    this.#patience = patience * 1_000;
    page.setDefaultTimeout(this.#patience);
    page.on('pageerror', (error) => this.faults.push(`script: ${error.message}`));
    // Dialogs of the browser itself are in no picture; captions tell of them.
    page.on('dialog', (dialog) => void dialog.accept());
    page.on('response', (response) => {
      if (response.status() >= 500) this.faults.push(`${response.status()} of ${response.url()}`);
    });
  }

  async prepare(overlay) {
    await this.page.exposeFunction('filmState', () => this.#state);
    await this.page.addInitScript({ path: overlay });
  }

  /** The clock of the film begins. */
  begin() {
    this.#state.begun = Date.now();
    return this.#draw();
  }

  chapter(title) {
    this.#state.chapter = title;
  }

  /** Another caption, once the one before could be read. */
  async say(caption) {
    await this.read();
    this.#state.caption = caption;
    this.captions.push({ at: Date.now(), chapter: this.#state.chapter, caption });
    this.#readUntil = Date.now() + this.#pace * (1_400 + caption.split(' ').length * 260);
    await this.#draw();
  }

  /** Until the caption could be read. */
  read() {
    return pause(Math.max(0, this.#readUntil - Date.now()));
  }

  wait(ms) {
    return pause(ms * this.#pace);
  }

  async go(address) {
    const response = await this.page.goto(address);
    if (response?.ok() === false) throw new Error(`${address} answered ${response.status()}`);
    await this.wait(500);
  }

  /** @param {string | import('playwright-core').Locator} what a selector, or what it finds @returns what is there and seen */
  async sees(what) {
    const found = (typeof what === 'string' ? this.page.locator(what) : what).first();
    await found.waitFor({ state: 'visible' });
    return found;
  }

  /** Loads the page again, as people do, until it shows what was counted in the background. */
  async reloadUntil(what) {
    const until = Date.now() + this.#patience;
    while ((await what.count()) === 0) {
      if (Date.now() > until) throw new Error(`${this.page.url()} did not come to show ${what}`);
      await pause(2_000);
      await this.page.reload();
    }
    return this.sees(what);
  }

  async point(what) {
    const found = await this.sees(what);
    await this.#uncover(found);
    const box = await this.#settle(found);
    const [fromX, fromY] = [this.#state.x, this.#state.y];
    Object.assign(this.#state, { x: box.x + Math.min(box.width / 2, 300), y: box.y + box.height / 2 });
    const steps = this.#pace > 0 ? 14 : 1;
    for (let step = 1; step <= steps; step += 1) {
      const way = (1 - Math.cos((Math.PI * step) / steps)) / 2;
      await this.page.mouse.move(fromX + (this.#state.x - fromX) * way, fromY + (this.#state.y - fromY) * way);
      await this.wait(25);
    }
    return found;
  }

  async click(what) {
    const found = await this.point(what);
    await this.wait(250);
    const { x, y } = this.#state;
    const isThere = (element, at) => element.contains(document.elementFromPoint(at.x, at.y));
    if (!(await found.evaluate(isThere, { x, y }))) throw new Error(`something covers ${what}, or it moved away`);
    await this.page.mouse.click(x, y);
    await this.wait(500);
  }

  async type(text) {
    for (const letter of text) {
      await this.page.keyboard.type(letter);
      await this.wait(70);
    }
  }

  async press(key) {
    // The scripts of a page that is still coming would not hear it.
    await this.page.waitForLoadState();
    await this.page.keyboard.press(key);
    await this.wait(700);
  }

  async scroll(what) {
    await this.#uncover(await this.sees(what), true);
    await this.wait(500);
  }

  openTerminal(place) {
    const terminal = new Terminal(place, (text) => {
      this.#state.text = (this.#state.text + text).slice(-20_000);
      void this.#draw();
    });
    this.#terminals.add(terminal);
    return terminal;
  }

  /** @param {'none' | 'dock' | 'full'} size how much of the picture the terminal has */
  async show(size, { clear = false } = {}) {
    this.#state.size = size;
    if (clear) this.#state.text = '';
    await this.#draw();
    await this.wait(400);
  }

  /** Types a command, letter by letter as people do or at once as they paste, for `enter` to run. */
  async write(command, { isPasted = false } = {}) {
    if (this.#state.text !== '' && !this.#state.text.endsWith('\n')) this.#state.text += '\n';
    this.#state.text += '$ ';
    for (const letters of isPasted || this.#pace === 0 ? [command] : command.match(/.{1,2}/gs)) {
      this.#state.text += letters;
      await this.#draw();
      await this.wait(45);
    }
    await this.wait(300);
    this.#state.text += '\n';
    await this.#draw();
  }

  /** Runs a command in a terminal. @param {{ says: RegExp, code?: number, isPasted?: boolean }} wanted */
  async run(terminal, command, { says, code = 0, isPasted }) {
    await this.write(command, { isPasted });
    const { output, code: ended } = await terminal.run(command);
    if (ended !== code || !says.test(output))
      throw new Error(`${command} ended with ${ended} and did not say ${says}:\n${output}`);
    await this.wait(400);
    return output;
  }

  async leave() {
    await Promise.all([...this.#terminals].map((terminal) => terminal.end()));
  }

  /** Waits until it stands still. @returns where: of text that goes over two lines, the first one */
  async #settle(found) {
    for (let before = null; ;) {
      const box = await found.evaluate((element) => element.getClientRects()[0].toJSON());
      if (before !== null && before.x === box.x && before.y === box.y) return box;
      before = box;
      await pause(80);
    }
  }

  /** Scrolls until it stands where nothing covers it. */
  async #uncover(found, toTop = false) {
    const bottom = 720 - STRIP - (this.#state.size === 'dock' ? DOCK : 0);
    await found.evaluate(
      (element, { end, top, smooth }) => {
        const { top: upper, bottom: lower, height } = element.getBoundingClientRect();
        if (element.closest('dialog') || (!top && upper > 70 && lower < end - 10)) return;
        const room = end - 70;
        const wanted = top || height > room ? 90 : 70 + (room - height) / 2;
        scrollBy({ top: upper - wanted, behavior: smooth ? 'smooth' : 'instant' });
      },
      { end: bottom, top: toTop, smooth: this.#pace > 0 },
    );
    await this.wait(600);
  }

  /** A page that is just leaving asks for what it has to show when the next one is there. */
  #draw() {
    return this.page.evaluate((state) => window.filmShow?.(state), this.#state).catch(() => undefined);
  }
}
