// A process that gives a product its document and kills itself in the middle. Parameters as JSON: see UploadDeath.
import { ChangeCreatedEvent, ProductSpecChangedEvent } from '../../../../src/domain/catalog/index.js';
import { FakeClock } from '../../fake-clock.js';
import { startTestPortal } from '../../test-portal.js';

export interface UploadDeath {
  readonly databaseUrl: string;
  readonly now: string;
  readonly slug: string;
  /** As JSON. */
  readonly document: string;
  /** Dies once the draft is written, once everything is, or right after it is committed. */
  readonly at: 'drafted' | 'written' | 'committed';
}

const { databaseUrl, now, slug, document, at } = JSON.parse(process.argv[2] ?? '{}') as UploadDeath;
const test = await startTestPortal({ databaseUrl, clock: new FakeClock(now), replicas: 1 });
const die = async (): Promise<void> => {
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
};
const { events } = test.portal;
if (at === 'drafted') events.within(ChangeCreatedEvent, die);
if (at === 'written') events.within(ProductSpecChangedEvent, die);
if (at === 'committed') events.on(ProductSpecChangedEvent, die);
const { products, uploads } = test.portal.services.catalog;
const product = await products.findForAdmin(slug);
const planned = await uploads.plan(product, null, { kind: 'file', bytes: Buffer.from(document) });
await uploads.giveProduct(product, planned, {}, { locale: 'en' });
await test.stop();
