import { generateSync } from 'otplib';
import type { Browser, Page } from 'playwright-core';
import { mfa } from '../../src/modules/mfa/index.js';
import { oidc } from '../../src/modules/oidc/index.js';
import { accessibilityFaults, openVisitor, startBrowser } from '../support/browser.js';
import { describeWith } from '../support/describe-with.js';
import { createUser, PASSWORD } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let browser: Browser;

describeWith('chromium', 'pages of modules in a real browser', () => {
  beforeAll(async () => {
    const providers = { company: { issuer: 'https://login.example.com', clientId: 'portal', label: 'Example Corp' } };
    const config = {
      mfa: { developers: 'required' },
      oidc: { providers },
      limits: { ip: { requests: { max: 10_000 } } },
    };
    test = await startTestPortal({ config, extensions: { modules: [mfa, oidc] } });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.stop();
  });

  it.each(['en', 'ar'])('a first login with a factor, on a phone and for everybody, in "%s"', async (locale) => {
    const visitor = await openVisitor(browser, test.client.url, {
      viewport: { width: 360, height: 740 },
      locale,
    });
    const { page, faults } = visitor;
    const user = await createUser(test);
    const judged: string[] = [];
    const judge = async () => {
      const at = new URL(page.url()).pathname;
      judged.push(at);
      expect([at, await accessibilityFaults(page)]).toEqual([at, []]);
      expect([at, await overflow(page)]).toEqual([at, 0]);
    };
    const press = (selector: string) => Promise.all([page.waitForURL(/.*/), page.click(selector)]);
    await page.goto('/portal/login');
    await judge();
    await page.fill('[name=email]', user.email);
    await page.fill('[name=password]', PASSWORD);
    await press('form[action$="/login"] .button-main');
    await judge();
    await press('form[action$="/enrol/totp"] button');
    await judge();
    const secret = (await page.textContent('code'))?.replace(/\s/g, '') ?? '';
    expect(await page.evaluate('document.images[0].naturalWidth > 100')).toBe(true);
    const code = () => generateSync({ secret, epoch: Math.floor(test.clock.now().getTime() / 1000) });
    await page.fill('[name=code]', code());
    await press('form[action$="/totp/confirm"] button');
    await judge();
    for (const path of ['/portal/settings/mfa', '/portal/settings/sign-in']) {
      await page.goto(path);
      await judge();
    }
    await page.context().clearCookies();
    test.clock.advance(60);
    await page.goto('/portal/login');
    await page.fill('[name=email]', user.email);
    await page.fill('[name=password]', PASSWORD);
    await press('form[action$="/login"] .button-main');
    await judge();
    await page.fill('[name=code]', code());
    await press('form[action$="/login/mfa"] button');
    expect(new URL(page.url()).pathname).toBe('/portal/dashboard');
    await page.goto('/portal/login/oidc/company/callback?state=x&code=y');
    await judge();
    expect(judged).toContain('/portal/login/mfa');
    expect(faults).toEqual([]);
    await visitor.context.close();
  });
});

function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
