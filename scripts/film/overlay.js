/**
 * Drawn over each page of the film by the debugger: the pointer where the browser's mouse is, the keys that are pressed, a strip
 * with the caption and a clock, and the terminal. It takes no clicks, and the pages do not know of it.
 */
(() => {
  const STRIP = 56;
  const SHEET = `
    :host { all: initial; position: fixed; inset: 0; width: auto; height: auto; margin: 0; padding: 0; border: 0; background: none;
      pointer-events: none; overflow: hidden; z-index: 2147483647; font: 20px/1.3 system-ui, sans-serif; }
    .strip { position: absolute; inset: auto 0 0 0; height: ${STRIP}px; box-sizing: border-box; padding: 0 20px; display: flex;
      align-items: center; gap: 20px; background: #10161f; color: #fff; }
    .chapter { color: #7dd3c0; font-weight: 600; white-space: nowrap; }
    .caption { flex: 1; }
    .clock { color: #9fb0c3; font-variant-numeric: tabular-nums; }
    .terminal { position: absolute; inset: auto 0 ${STRIP}px 0; box-sizing: border-box; padding: 10px 20px; overflow: hidden; display: none;
      background: #0b0f14; color: #d7dee7; border-top: 2px solid #3b4a5a; font: 16px/22px ui-monospace, 'DejaVu Sans Mono', monospace; }
    .terminal[data-size=dock] { display: block; height: 300px; }
    .terminal[data-size=full] { display: block; height: calc(100% - ${STRIP}px); border: 0; font-size: 18px; line-height: 26px; }
    .lines { height: 100%; overflow: hidden; white-space: pre-wrap; overflow-wrap: anywhere; }
    .typed { color: #7dd3c0; font-weight: 600; } .good { color: #86e08a; } .bad { color: #ff8f8f; }
    .key { position: absolute; right: 20px; bottom: ${STRIP + 16}px; padding: 6px 16px; border-radius: 8px; background: #10161fdd; color: #fff;
      font: 600 24px/1.3 system-ui; opacity: 0; transition: opacity .8s; }
    .key.pressed { opacity: 1; transition: none; }
    .pointer { position: absolute; left: -3px; top: -2px; filter: drop-shadow(0 1px 2px #0008); }
    .ring { position: absolute; width: 44px; height: 44px; margin: -22px; border: 4px solid #f59e0b; border-radius: 50%; opacity: 0;
      transition: opacity .7s; box-sizing: border-box; }
    .ring.pressed { opacity: 1; transition: none; }`;
  const POINTER =
    '<svg width="26" height="34" viewBox="0 0 26 34"><path d="M2 2v25l6.5-6 4.5 10.500 4.500-2-4.500-10H22z" fill="#111" stroke="#fff" stroke-width="2"/></svg>';
  const host = document.createElement('film-overlay');
  const root = host.attachShadow({ mode: 'closed' });
  const part = (name, parent = root) => {
    const element = document.createElement('div');
    element.className = name;
    parent.append(element);
    return element;
  };
  const terminal = part('terminal');
  const lines = part('lines', terminal);
  const key = part('key');
  const strip = part('strip');
  const [chapter, caption, clock] = ['chapter', 'caption', 'clock'].map((name) => part(name, strip));
  const ring = part('ring');
  const pointer = part('pointer');
  let begun = null;
  let modal = null;

  function line(text) {
    const element = document.createElement('div');
    element.textContent = text || ' ';
    if (text.startsWith('$ ')) element.className = 'typed';
    else if (/^(HTTP\/1\.1 2|✓)/.test(text)) element.className = 'good';
    else if (/^(HTTP\/1\.1 [45]|breaking)/.test(text)) element.className = 'bad';
    return element;
  }

  window.filmShow = (state) => {
    begun = state.begun;
    chapter.textContent = state.chapter;
    caption.textContent = state.caption;
    terminal.dataset.size = state.size;
    lines.replaceChildren(...state.text.split('\n').slice(-60).map(line));
    lines.scrollTop = lines.scrollHeight;
    const covered = STRIP + (state.size === 'dock' ? 300 : 0);
    // What is covered can be scrolled to.
    document.documentElement.style.paddingBottom = `${covered}px`;
    move(state.x, state.y);
    tick();
  };

  function move(x, y) {
    for (const element of [pointer, ring]) element.style.transform = `translate(${x}px, ${y}px)`;
  }

  function flash(element) {
    element.classList.add('pressed');
    setTimeout(() => element.classList.remove('pressed'), 350);
  }

  function tick() {
    if (begun === null) return;
    const seconds = Math.max(0, (Date.now() - begun) / 1000);
    clock.textContent = `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, '0')}`;
    // Dialogs are in the top layer of the page; whoever comes last is above.
    const open =
      [...document.querySelectorAll('dialog:modal, :popover-open')].filter((one) => one !== host).at(-1) ?? null;
    if (open === modal) return;
    modal = open;
    host.hidePopover();
    host.showPopover();
  }

  function begin() {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(SHEET);
    root.adoptedStyleSheets = [sheet];
    pointer.innerHTML = POINTER;
    host.setAttribute('dir', 'ltr');
    host.setAttribute('aria-hidden', 'true');
    host.popover = 'manual';
    document.documentElement.append(host);
    host.showPopover();
    setInterval(tick, 100);
    addEventListener('mousemove', (event) => move(event.clientX, event.clientY), true);
    addEventListener('mousedown', () => flash(ring), true);
    addEventListener(
      'keydown',
      (event) => {
        const isText = event.key.length === 1 && !event.ctrlKey;
        if (event.key === 'Control' || (isText && event.target.matches('input, textarea'))) return;
        key.textContent = `${event.ctrlKey ? 'Ctrl ' : ''}${event.key}`;
        flash(key);
      },
      true,
    );
    window.filmState().then(window.filmShow);
  }

  if (document.documentElement) begin();
  else
    new MutationObserver((_, observer) => {
      if (!document.documentElement) return;
      observer.disconnect();
      begin();
    }).observe(document, { childList: true });
})();
