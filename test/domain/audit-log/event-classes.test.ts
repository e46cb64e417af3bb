import { readdirSync } from 'node:fs';
import { isMapped, NOT_RECORDED } from '../../../src/domain/audit-log/audit-mapping.js';
import { isIntention, readEventName } from '../../../src/domain/audit-log/event-names.js';
import { cleanChanges, cleanText } from '../../../src/domain/audit-log/redaction.js';
import { AdminRequestRefusedEvent } from '../../../src/domain/auth/index.js';
import { RefusalBudget } from '../../../src/domain/audit-log/index.js';
import { PortalEvent, silentLogger, type EventClass, type Logger } from '../../../src/core/index.js';
import { FakeClock } from '../../support/fake-clock.js';

const DOMAINS = new URL('../../../src/domain/', import.meta.url);
/** A base that is exported for modules to extend. */
const BASES = ['AuthEvent'];

async function exportedEvents(): Promise<EventClass<PortalEvent>[]> {
  const folders = readdirSync(DOMAINS).filter((folder) => readdirSync(new URL(folder, DOMAINS)).includes('events.js'));
  const modules = await Promise.all(folders.map((folder) => import(new URL(`${folder}/events.js`, DOMAINS).href)));
  const values = modules.flatMap((module: object) => Object.values(module) as unknown[]);
  return values.filter(
    (value): value is EventClass<PortalEvent> =>
      typeof value === 'function' && value.prototype instanceof PortalEvent && !BASES.includes(value.name),
  );
}

describe('the log and the events of the domains', () => {
  it('has words, a known subject or a reason for every event class', async () => {
    const classes = await exportedEvents();
    expect(classes.length).toBeGreaterThan(40);
    const bases = new Set(classes.map((type) => Object.getPrototypeOf(type) as unknown));
    const unknown = classes.filter(
      (type) =>
        !bases.has(type) &&
        !isMapped(type) &&
        !NOT_RECORDED.has(type) &&
        !isIntention(type.name) &&
        !readEventName(type.name)?.subject,
    );
    // An event that shows up here needs a row in the table of domain/audit-log/audit-mapping.ts, a name that begins with a
    // subject of event-names.ts, or a reason in NOT_RECORDED.
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['UserCreatedEvent', 'user', 'created', 'user'],
    ['CredentialProductAddedEvent', 'credential', 'product_added', 'credential'],
    ['MenuItemMovedEvent', 'menu_item', 'moved', 'menu_item'],
    ['AdminRolesChangedEvent', 'admin', 'roles_changed', 'admin'],
    ['AcmeInvoicePaidEvent', 'acme_invoice', 'paid', null],
  ])('reads %s as what it says', (className, thing, happened, subject) => {
    expect(readEventName(className)).toEqual({ thing, happened, subject });
  });

  it.each(['Event', 'e', '', 'UserEvent'])('reads nothing into %p', (className) => {
    expect(readEventName(className)).toBeNull();
  });
});

describe('what is written of values', () => {
  it('masks what a name promises to be secret, at any depth', () => {
    const changes = cleanChanges({
      clientSecret: [null, 'one'],
      apiKey: ['two', 'three'],
      password_hash: ['four', null],
      settings: [null, { nested: { accessToken: 'five', note: 'six' } }],
      keyboard: [null, 'seven'],
    });
    expect(changes).toEqual({
      client_secret: [null, '[masked]'],
      api_key: ['[masked]', '[masked]'],
      password_hash: ['[masked]', null],
      settings: [null, { nested: { accessToken: '[masked]', note: 'six' } }],
      keyboard: [null, 'seven'],
    });
  });

  it('masks the value of a secret setting', () => {
    expect(cleanChanges({ value: ['a', 'b'], label: ['c', 'd'] }, true)).toEqual({
      value: ['[masked]', '[masked]'],
      label: ['c', 'd'],
    });
  });

  it('keeps one line and 1 KB of each value, and 16 KB of all', () => {
    const fields = Array.from({ length: 40 }, (_, index) => [`f${index}`, [null, 'x'.repeat(5000)]]);
    const changes = cleanChanges({ text: ['a\r\nb\u2028c\u0000', null], ...Object.fromEntries(fields) });
    expect(changes?.text).toEqual(['a b c', null]);
    expect(String(changes?.f0?.[1])).toHaveLength(1000);
    expect(changes?.f39).toEqual(['[left out]', '[left out]']);
    expect(JSON.stringify(changes).length).toBeLessThan(18_000);
  });

  it('cuts no character in two', () => {
    expect(cleanText(`${'a'.repeat(9)}😀`, 10)).toBe(`${'a'.repeat(9)}\ufffd`);
    expect(cleanText(' \r\n ', 10)).toBeNull();
  });
});

describe('refusals on admin routes', () => {
  const clock = new FakeClock();
  const logged: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: (fields) => void logged.push(fields) };
  const refusal = (ip: string, accountId: number | null = null) =>
    new AdminRequestRefusedEvent({
      ...{ context: 'admin', accountId, email: null, operation: 'listUsers', status: 401 },
      ...{ request: { requestId: 'r', ip, userAgent: 'test' }, occurredAt: clock.now() },
    });

  it('are written 60 times a minute for strangers of one network, then counted', () => {
    const budget = new RefusalBudget(clock, logger);
    const verdicts = Array.from({ length: 100 }, (_, index) => budget.admit(refusal(`2001:db8:1:2::${index}`)));
    expect(verdicts.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(60);
    expect(logged).toEqual([{ network: '2001:db8:1:2::/64' }]);
    expect(budget.admit(refusal('203.0.113.9')).isAdmitted).toBe(true);
    expect(budget.admit(refusal('2001:db8:1:2::5', 7)).isAdmitted).toBe(true);
    clock.advance(60);
    expect(budget.admit(refusal('2001:db8:1:2::1'))).toEqual({ isAdmitted: true, suppressed: 40 });
    expect(budget.admit(refusal('2001:db8:1:2::1'))).toEqual({ isAdmitted: true, suppressed: 0 });
  });

  it('are written 600 times a minute for strangers of all networks together', () => {
    const budget = new RefusalBudget(clock, logger);
    const written = Array.from({ length: 1000 }, (_, index) => budget.admit(refusal(`198.51.${index % 250}.1`)));
    expect(written.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(600);
  });
});
