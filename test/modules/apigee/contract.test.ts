import { gatewayDriverContract } from '../../contracts/gateway-driver.js';
import { startApigee, type ApigeeUnderTest } from './support.js';

const under = ({ driver, fake, clock, stop }: ApigeeUnderTest) => ({
  driver,
  products: ['gw-one', 'gw-two'] as const,
  opens: ({ consumerKey }: { consumerKey: string }, product: string) =>
    Promise.resolve(fake.opens(consumerKey, product)),
  advance: (seconds: number) => clock.advance(seconds),
  now: () => clock.now(),
  stop,
});

const FIXED = ['the end of a key stays where it is'];

gatewayDriverContract('apigee on X', async () => under(await startApigee('x')), FIXED);
gatewayDriverContract('apigee on Edge', async () => under(await startApigee('edge', { signIn: 'basic' })), FIXED);
gatewayDriverContract(
  'apigee on Edge without CPS, asking for approval again',
  async () => under(await startApigee('edge', { cps: false, addingResetsApproval: true, signIn: 'oauth' })),
  FIXED,
);
gatewayDriverContract(
  'apigee on X that deletes later and keeps e-mails',
  async () => under(await startApigee('x', { deletionDelay: 120, fixedEmails: true, signIn: 'service-account' })),
  FIXED,
);
