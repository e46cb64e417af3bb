import { existsSync, readdirSync } from 'node:fs';
import { activityFromName } from '../../../src/domain/audit-log/undeclared-event.js';
import { factsOf } from '../../../src/domain/audit-log/audit-mapping.js';
import { cleanChanges, cleanText } from '../../../src/core/index.js';
import { AdminRequestRefusedEvent, AuthEvent } from '../../../src/domain/auth/index.js';
import { RefusalBudget } from '../../../src/domain/audit-log/refusal-budget.js';
import {
  PortalEvent,
  silentLogger,
  type EventActivity,
  type EventClass,
  type Logger,
} from '../../../src/core/index.js';
import * as portalkit from '../../../src/index.js';
import { FakeClock } from '../../support/fake-clock.js';

const SOURCE = new URL('../../../src/', import.meta.url);
/** What events extend: they say what it is about, not what happened. */
const BASES = ['AuthEvent', 'MfaEvent', 'CredentialEvent'];

type DeclaredClass = EventClass<PortalEvent> & { readonly activity?: EventActivity<never> | null };

async function exportedEvents(): Promise<Map<string, DeclaredClass>> {
  const folders = ['domain', 'modules'].flatMap((room) =>
    readdirSync(new URL(room, SOURCE)).map((name) => new URL(`${room}/${name}/`, SOURCE)),
  );
  const files = folders.map((folder) => new URL('events.js', folder)).filter((file) => existsSync(file));
  const domains = await Promise.all(files.map((file) => import(file.href)));
  const values = [portalkit, ...domains].flatMap((exported: object) => Object.entries(exported) as [string, unknown][]);
  const isEvent = (entry: [string, unknown]): entry is [string, DeclaredClass] =>
    typeof entry[1] === 'function' && entry[1].prototype instanceof PortalEvent && !BASES.includes(entry[0]);
  return new Map(values.filter(isEvent));
}

/** An event of a host, whose class is called so. */
function hostEvent(className: string, fields: object = {}, base: typeof PortalEvent = PortalEvent): PortalEvent {
  const type = { [className]: class extends (base as unknown as new (at: Date) => PortalEvent) {} }[className];
  if (!type) throw new Error(`There is no ${className}.`);
  return Object.assign(new type(new Date(0)), fields);
}

describe('the log and the events of the domains', () => {
  it('knows of every event class what to call it, or that it is not recorded', async () => {
    const classes = await exportedEvents();
    expect(classes.size).toBeGreaterThan(60);
    const undeclared = [...classes].filter(([, { activity }]) => activity !== null && !activity?.action);
    // An event that shows up here is made by `defineEvent` with its action, or with null when the log leaves it out.
    expect(undeclared.map(([name]) => name)).toEqual([]);
  });

  it('calls no two events the same', async () => {
    const actions = [...(await exportedEvents()).values()].map(({ activity }) => activity?.action);
    const texts = actions.filter((action) => typeof action === 'string');
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((action) => !/^[a-z_]+[.][a-z_]+$/.test(action))).toEqual([]);
  });

  it('records no intention, nor an attempt whose outcome it records', async () => {
    const silent = [...(await exportedEvents())].filter(([, { activity }]) => activity === null);
    expect(silent.map(([name]) => name).sort()).toEqual([
      'KeysClosingEvent',
      'LoginAttemptedEvent',
      'SessionOpeningEvent',
      'SessionRenewingEvent',
      'UserDeletingEvent',
      'UserDisablingEvent',
    ]);
  });
});

describe('the log and an event of a host', () => {
  it.each([
    ['UserCreatedEvent', 'user', 'created'],
    ['CredentialProductAddedEvent', 'credential', 'product_added'],
    ['MenuItemMovedEvent', 'menu_item', 'moved'],
    ['AdminRolesChangedEvent', 'admin', 'roles_changed'],
    ['AcmeInvoicePaidEvent', 'acme_invoice', 'paid'],
  ])('reads %s as what it says', (className, type, happened) => {
    const id = `${type.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}Id`;
    const facts = factsOf(hostEvent(className, { [id]: 7 }));
    expect(facts).toMatchObject({ action: `${type}.${happened}`, subject: { type, id: '7', label: null } });
  });

  it.each(['Event', 'e', '', 'UserEvent', 'AcmeCheckingEvent'])('reads nothing into %p', (className) => {
    expect(activityFromName(hostEvent(className))).toEqual({});
    expect(factsOf(hostEvent(className))).toBeNull();
  });

  it('names a record of the portal and its owner, and of other records nothing but the id', () => {
    const app = { id: 11, userId: 7, name: 'checkout' };
    const facts = { subject: { type: 'app', id: '11', label: 'checkout' }, ownerId: 7, changes: { limit: [1, 2] } };
    expect(factsOf(hostEvent('AppFlaggedEvent', { app, changes: { limit: [1, 2] } }))).toMatchObject(facts);
    const acmeInvoice = { id: 42, name: 'Ada Lovelace' };
    const subject = { type: 'acme_invoice', id: '42', label: null };
    expect(factsOf(hostEvent('AcmeInvoicePaidEvent', { acmeInvoice }))).toMatchObject({ subject, ownerId: null });
    const limits = { acmeLimitId: 1, before: 10, after: 20 };
    expect(factsOf(hostEvent('AcmeLimitChangedEvent', limits))?.changes).toEqual({ changed: [10, 20] });
  });

  it('takes the account of what happened at the door, and the name of the class', () => {
    class AcmeBadgeShownEvent extends AuthEvent {}
    const request = { requestId: 'r', ip: '203.0.113.7', userAgent: 'test' };
    const fact = { context: 'consumer', accountId: 9, email: null, request, occurredAt: new Date(0) } as const;
    expect(factsOf(new AcmeBadgeShownEvent(fact))).toEqual({
      ...{ action: 'acme_badge.shown', subject: { type: 'user', id: '9', label: null }, ownerId: 9, changes: null },
    });
  });

  it('follows a declaration', () => {
    class AcmeInvoicePaidEvent extends PortalEvent {
      static override readonly activity: EventActivity<AcmeInvoicePaidEvent> | null = {
        action: 'invoice.paid',
        subject: ({ number }) => ({ type: 'invoice', id: number }),
        owner: ({ userId }) => userId,
        changes: ({ amount }) => ({ paid: [0, amount], cardToken: [null, 'canary'] }),
        isRecorded: ({ amount }) => amount > 0,
      };

      readonly number = 'A-1';
      readonly userId = 7;
      constructor(readonly amount: number) {
        super(new Date(0));
      }
    }
    class AcmeInvoiceReadEvent extends AcmeInvoicePaidEvent {
      static override readonly activity = null;
    }
    const subject = { type: 'invoice', id: 'A-1', label: null };
    const changes = { paid: [0, 5], card_token: [null, '[masked]'] };
    expect(factsOf(new AcmeInvoicePaidEvent(5))).toEqual({ action: 'invoice.paid', subject, ownerId: 7, changes });
    expect(factsOf(new AcmeInvoicePaidEvent(0))).toBeNull();
    expect(factsOf(new AcmeInvoiceReadEvent(5))).toBeNull();
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
    const results = Array.from({ length: 100 }, (_, index) => budget.admit(refusal(`2001:db8:1:2::${index}`)));
    expect(results.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(60);
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
