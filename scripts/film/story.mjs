/** What the film shows. Each scene begins from the tour of the demo, so that it can be taken alone: `--only`. */

const READY = /goes on with it\./;
const PRODUCT = 'exchange-rates';
/** What a shell of the film may know of this machine. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TMPDIR'];

/** @param {import('./actor.mjs').Actor} actor */
export function setStage(actor, { root, project, shown }) {
  const passed = PASSED_ON.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]);
  const env = { ...Object.fromEntries(passed), NO_COLOR: '1', npm_config_update_notifier: 'false', COLUMNS: '120' };
  const demo = actor.openTerminal({ cwd: root, env });
  const command = `npm run demo -- --fresh --project ${shown}`;
  let shell;
  return {
    ...{ actor, demo, command },
    /** Starts the demo before the film begins. */
    async open() {
      demo.start(command);
      await this.settle();
      await actor.show('none', { clear: true });
    },
    /** Waits for the demo and learns where it is. */
    async settle() {
      const { input } = await demo.until(READY);
      this.tour = /http\S+\/portal\/tour\/\S+/.exec(input)[0];
      this.portal = new URL(this.tour).origin;
      this.sample = /runs at (http\S+),/.exec(input)[1];
    },
    /** By a card of the tour, as the person who works there. */
    async follow(card) {
      await actor.go(this.tour);
      await actor.click(`main article:nth-of-type(${card}) a.button-main`);
    },
    /** A terminal in the folder of the project. */
    get shell() {
      return (shell ??= actor.openTerminal({ cwd: project, env }));
    },
  };
}

/** Mails about a change go out within a minute; the scenes between the two fill it. */
export const scenes = [
  {
    name: 'start',
    title: 'Start',
    async play(stage) {
      const { actor, demo, command } = stage;
      await actor.show('full');
      await actor.say('A clone of the repository and one command. Node.js is all that it needs.');
      await actor.write(command);
      demo.start(command);
      await demo.until(/Creating the database/);
      await actor.say(
        'It makes a host project with the real portal init, on SQLite: no database server, no gateway product.',
      );
      await demo.until(/Seeding the demo catalog/);
      await actor.say('It seeds the catalog of an invented bank, and starts one of its APIs behind a proxy.');
      await demo.until(/Naming the sample API/);
      await actor.say('The portal runs. A developer, an app and a key are made over REST.');
      await demo.until(/Calling the sample API/);
      await actor.say('The first 200 through the proxy. Two apps begin to call the API.');
      await stage.settle();
      await actor.say('Ready, in the time that the clock shows.');
      await actor.wait(1_500);
      await actor.show('none', { clear: true });
    },
  },
  {
    name: 'tour',
    title: 'Tour',
    async play({ actor, tour }) {
      await actor.go(tour);
      await actor.say('The demo begins with a tour: five cards, each of which opens a real page.');
      await actor.point('main article:nth-of-type(2) h2');
      await actor.point('main article:nth-of-type(4) h2');
      await actor.say('Every page is there in light and dark …');
      await actor.click('header .scheme-switch:visible');
      await actor.sees('html[data-scheme=dark]');
      await actor.say('… and in Arabic, from right to left.');
      await chooseLanguage(actor, 'ar');
      await actor.sees('html[dir=rtl]');
      await actor.read();
      await chooseLanguage(actor, 'en');
      await actor.click('header .scheme-switch:visible');
      await actor.sees('html[data-scheme=light]');
    },
  },
  {
    name: 'search',
    title: 'Find an API',
    async play({ actor, portal }) {
      await actor.go(`${portal}/portal`);
      await actor.say('A visitor opens the search with Ctrl K. It knows products, operations, guides and changes.');
      await actor.press('Control+k');
      await actor.sees('#palette[open] input');
      await actor.type('currency rate');
      await actor.sees(actor.page.locator('#palette a', { hasText: /rate/i }));
      await actor.read();
      await actor.press('Enter');
      await actor.page.waitForURL(/\/portal\/products\//);
      await actor.say('The operation in the reference, made of its OpenAPI document.');
      await actor.sees('.reference-samples');
    },
  },
  {
    name: 'key',
    title: 'Get a key',
    async play(stage) {
      const { actor, portal } = stage;
      await actor.go(stage.tour);
      await actor.say('One click signs in as Maya, a developer. She makes an app.');
      await stage.follow(2);
      await actor.click('header nav a[href$="/apps"]:visible');
      await actor.click('main a[href*="/apps/create"]:visible');
      await actor.click('[name=display_name]');
      await actor.type('Checkout');
      await actor.click(`label:has([value=${PRODUCT}])`);
      await actor.say('The plan is free: a thousand calls a month.');
      await actor.click('main form button.button-main');
      stage.key = await (await actor.sees('.key code')).innerText();
      await actor.say('The app has its key at once.');
      await actor.point('.key code');
      stage.checkout = `${portal}/portal/apps/checkout`;
    },
  },
  {
    name: 'call',
    title: '401 → 200',
    async play({ actor, shell, sample, key, checkout }) {
      const call = `curl -si ${sample}/rates/EUR-USD`;
      await actor.show('dock', { clear: true });
      await actor.say('Every command here really runs in bash. Without a key: 401.');
      await actor.run(shell, call, { says: /^HTTP\/1\.1 401/m });
      await actor.say('With the key of the app: 200, and what is left of the plan in the headers.');
      await actor.run(shell, `KEY=${key}`, { says: /^$/, isPasted: true });
      await actor.run(shell, `${call} -H "X-API-Key: $KEY"`, { says: /^HTTP\/1\.1 200[^]*ratelimit/im });
      await actor.say('Forty more calls …');
      const many = `seq 40 | xargs -P 2 -I{} ${call.replace('-si', "-so /dev/null -w '%{http_code}\\n'")} -H "X-API-Key: $KEY" | sort | uniq -c`;
      await actor.run(shell, many, { says: /^ *40 200$/m });
      await actor.say('… and the page of the app has counted them.');
      await actor.go(checkout);
      const counted = actor.page.getByText(/^4[0-9] of 1,000/);
      await actor.reloadUntil(counted);
      await actor.point(counted);
    },
  },
  {
    name: 'revoke',
    title: '200 → 403',
    async play({ actor, shell, sample, checkout }) {
      await actor.say('Maya revokes the key, and says yes when the browser asks …');
      await actor.go(checkout);
      await actor.click('#content details.actions-end > summary');
      await actor.click('form[data-confirm][action*="/credentials/"][action$="/revoke"] button');
      await actor.click('details.ended-keys > summary');
      await actor.sees(actor.page.locator('main .badge', { hasText: 'Revoked' }));
      await actor.say('… and the very next call answers 403.');
      const call = `curl -si ${sample}/rates/EUR-USD -H "X-API-Key: $KEY"`;
      await actor.run(shell, call, { says: /^HTTP\/1\.1 403/m });
    },
  },
  {
    name: 'quota',
    title: 'Use up a plan',
    async play(stage) {
      const { actor, shell, sample } = stage;
      await actor.show('none', { clear: true });
      await actor.say('Tomas has another app. It has used 78 % of its thousand calls.');
      await stage.follow(4);
      await actor.sees(actor.page.getByText('780', { exact: true }));
      await actor.click('main a[href$="/apps/price-watch"]');
      await actor.click('form[action$="/reveal"] button');
      const key = await (await actor.sees('.key code')).innerText();
      await actor.show('dock');
      await actor.say('Two hundred and thirty calls, four at a time: the last ten are refused.');
      await actor.run(shell, `KEY=${key}`, { says: /^$/, isPasted: true });
      const call = `-H "X-API-Key: $KEY" ${sample}/rates/EUR-USD`;
      const many = `seq 230 | xargs -P 4 -I{} curl -so /dev/null -w '%{http_code}\\n' ${call} | sort | uniq -c`;
      await actor.run(shell, many, { says: /220 200\n *10 429/ });
      await actor.say('429 says when to come back: Retry-After.');
      await actor.run(shell, `curl -si ${call}`, { says: /^HTTP\/1\.1 429[^]*^retry-after/im });
      await actor.go(`${stage.portal}/portal/apps/price-watch`);
      await actor.reloadUntil(actor.page.getByText('1,000 of 1,000 calls this month'));
      await actor.say('The page of the app says the same. A mail will come by itself.');
      await actor.point(actor.page.getByText('1,000 of 1,000 calls this month'));
    },
  },
  {
    name: 'change',
    title: 'Change an API',
    async play(stage) {
      const { actor, shell } = stage;
      await actor.show('full', { clear: true });
      await actor.say('The next document lacks an operation: a pipeline would be stopped.');
      const push = `npx portal push ${PRODUCT} exchange-rates-next.json --check-breaking`;
      await actor.run(shell, push, { says: /^breaking +GET \/whoami/m, code: 1 });
      await actor.say('With a reason it is taken, and an entry of the changelog is drafted.');
      await actor.run(shell, `${push} --reason "Its sunset was in June"`, { says: /Drafted in the changelog/ });
      await actor.read();
      await actor.show('none', { clear: true });
      await actor.say('The admin finds the entry drafted, with what breaks in words.');
      await stage.follow(5);
      await actor.click('main a[href*="/admin/changes/"]');
      await actor.point(actor.page.getByText('GET /whoami'));
      await actor.say('Before it is published, the console says whom it hits.');
      await actor.click('.console-actions a[href$="/publish"]');
      await actor.click('.flash-warn a[href$="/callers"]');
      await actor.point(actor.page.getByRole('cell', { name: 'Price watch' }));
      await actor.read();
      await actor.page.goBack();
      await actor.say('Those people are to be told, by mail and in the portal.');
      await actor.click('main label:has([type=checkbox])');
      await actor.click('main form button.button-main');
      await actor.sees(actor.page.locator('main .badge', { hasText: 'Published' }));
    },
  },
  {
    name: 'approve',
    title: 'Decide what waits',
    async play(stage) {
      const { actor } = stage;
      await actor.show('none', { clear: true });
      await actor.say('In the console, an admin reads who asks for an API, and why.');
      await stage.follow(3);
      await actor.point('.inbox-entry .inbox-what');
      await actor.say('One key decides: a approves.');
      await actor.press('a');
      await actor.sees('main .empty');
      await actor.say('Done. Who decided it, and when, is in the audit trail.');
      await actor.press('Control+k');
      await actor.sees('#palette[open] input');
      await actor.type('activit');
      await actor.sees(actor.page.locator('#palette a', { hasText: /activit/i }));
      await actor.press('Enter');
      await actor.page.waitForURL(/\/admin\/activities/);
      await actor.sees(actor.page.getByText('approved').first());
    },
  },
  {
    name: 'code',
    title: 'The portal as code',
    async play({ actor, shell }) {
      await actor.show('full', { clear: true });
      await actor.say('The whole portal as files, for git.');
      await actor.run(shell, 'npx portal export', { says: /Wrote \d+ files/ });
      await actor.say('What is applied a second time changes nothing.');
      await actor.run(shell, 'npx portal apply', { says: /nothing was changed/ });
      await actor.say('Everything that was done is in the audit trail, whose chain of hashes is whole.');
      await actor.run(shell, 'npx portal audit:verify', { says: /activities are as written/ });
    },
  },
  {
    name: 'agents',
    title: 'What agents read',
    async play({ actor, shell, portal }) {
      await actor.show('full', { clear: true });
      await actor.say('An agent finds the way by itself: what a visitor may see, as text.');
      await actor.run(shell, `curl -s ${portal}/llms.txt | head -12`, { says: /^# Larkmere/m });
      await actor.say('Each page is Markdown for who asks for that.');
      const page = `${portal}/portal/products/${PRODUCT}`;
      await actor.run(shell, `curl -s -H 'Accept: text/markdown' ${page} | head -8`, { says: /^# Exchange Rates/m });
      await actor.say('And it asks over MCP, without a session.');
      const call = { name: 'search_apis', arguments: { query: 'exchange rates' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
      const types = `-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'`;
      await actor.run(shell, `curl -s ${types} ${portal}/mcp -d '${body}'`, { says: new RegExp(PRODUCT) });
      await actor.read();
    },
  },
  {
    name: 'mail',
    title: 'Who is told',
    async play(stage) {
      const { actor, shell } = stage;
      await actor.show('full', { clear: true });
      await actor.say('Mails of this demo are files. Those about the change go to three people.');
      const change = 'Subject: .*Exchange Rates';
      const wait = `until [ $(grep -ls '${change}' storage/mail/* | wc -l) -ge 3 ]; do sleep 1; done`;
      await actor.run(shell, wait, { says: /^$/ });
      await actor.run(shell, `grep -hE '^(To|Subject):' storage/mail/*.eml`, { says: /^Subject: .*Exchange Rates/m });
    },
  },
  {
    name: 'hit',
    title: 'Who is hit',
    async play(stage) {
      const { actor, portal } = stage;
      await actor.show('none', { clear: true });
      await actor.say('Tomas sees it on the page of his app …');
      await stage.follow(4);
      await actor.go(`${portal}/portal/apps/price-watch`);
      await actor.click('main .flash-warn a[href*="/changes/"]');
      await actor.say('… and reads what to do in the changelog of the API.');
      await actor.point(actor.page.getByText('GET /whoami'));
      await actor.say('MIT, no telemetry. What you saw is what npm run demo starts.');
    },
  },
];

async function chooseLanguage(actor, code) {
  await actor.click('header .top-end details.wide-only summary');
  await actor.click(`header .top-end .wide-only button[lang=${code}]`);
}
