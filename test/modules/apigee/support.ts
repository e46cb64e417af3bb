import { randomBytes } from 'node:crypto';
import { resolveConfig } from '../../../src/config/index.js';
import { ApigeeGateway } from '../../../src/modules/apigee/apigee-gateway.js';
import { silentLogger, type Logger } from '../../../src/core/index.js';
import { shippedDrivers } from '../../../src/shipped-drivers.js';
import {
  FakeApigee,
  type ApigeeFlavour,
  type FakeApigeeOptions,
  type FakeApigeeSignIn,
} from '../../../src/modules/apigee/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PATIENCE } from '../../support/patience.js';

export const INSTALLATION = '6f1d7a1e-0000-4000-8000-000000000001';
export const FLAVOURS: readonly ApigeeFlavour[] = ['x', 'edge'];

export interface ApigeeUnderTest {
  readonly fake: FakeApigee;
  readonly driver: ApigeeGateway;
  /** The driver of another portal with the same organization. */
  readonly as: (installation: string) => ApigeeGateway;
  readonly clock: FakeClock;
  /** Milliseconds of every pause that the driver made; none of them was waited for. */
  readonly pauses: readonly number[];
  stop(): Promise<void>;
}

interface Options extends Partial<FakeApigeeOptions> {
  readonly signIn?: FakeApigeeSignIn;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly logger?: Logger;
}

/** A stand-in with the products `gw-one`, `gw-two` and `gw-manual`. */
export function startFakeApigee(
  flavour: ApigeeFlavour,
  clock: FakeClock,
  organization: Partial<FakeApigeeOptions> = {},
): Promise<FakeApigee> {
  const products = [{ name: 'gw-one' }, { name: 'gw-two' }, { name: 'gw-manual', approvalType: 'manual' as const }];
  return FakeApigee.start({ flavour, clock, products, ...organization });
}

/** The same, and a driver that is connected with it. */
export async function startApigee(flavour: ApigeeFlavour, options: Options = {}): Promise<ApigeeUnderTest> {
  const { signIn = 'token', settings = {}, logger = silentLogger, ...organization } = options;
  const clock = new FakeClock();
  const fake = await startFakeApigee(flavour, clock, organization);
  const timeout = PATIENCE.apigee;
  const apigee = await apigeeSettings({ ...fake.settings(signIn), callsPerMinute: 600_000, timeout, ...settings });
  const pauses: number[] = [];
  let now = 0;
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    now += milliseconds;
  };
  const pace = { now: () => now, pause };
  const as = (installation: string) => new ApigeeGateway({ installation, clock, logger }, apigee, '/', { pace });
  const driver = as(INSTALLATION);
  return { fake, driver, as, clock, pauses, stop: () => fake.stop() };
}

/** With the defaults of the package. */
async function apigeeSettings(given: Readonly<Record<string, unknown>>) {
  const keys = { app: { env: 'test', key: secret() }, portalApi: { jwtSecret: secret() } };
  const definition = { ...keys, gateway: { driver: 'apigee', apigee: given } };
  return resolveConfig({ definition, drivers: await shippedDrivers() }).config.gateway.apigee;
}

const secret = (): string => `base64:${randomBytes(32).toString('base64')}`;
