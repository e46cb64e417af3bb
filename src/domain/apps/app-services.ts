import type { Gateway } from '../../gateway/index.js';
import type { Encrypter } from '../../kernel/index.js';
import { AppDirectory } from './app-directory.js';
import { AppGateway } from './app-gateway.js';
import { AppLeases } from './app-leases.js';
import type { AppParts } from './app-parts.js';
import { AppReader } from './app-reader.js';
import { AppProducts } from './app-products.js';
import { AppService } from './app-service.js';
import { AppWrites } from './app-writes.js';
import { CredentialRotation } from './credential-rotation.js';
import { CredentialService } from './credential-service.js';
import { listenToDevelopers } from './developer-listener.js';
import { DeveloperGateway } from './developer-gateway.js';
import { GatewayAddresses } from './gateway-addresses.js';
import { GrantService } from './grant-service.js';
import { listenToProducts } from './product-listener.js';
import { ChangeRunner } from './saga/change-runner.js';
import { Intents } from './saga/intents.js';
import { Recovery } from './saga/recovery.js';

/** The services of this domain, as routes and pages call them. */
export interface AppServices {
  readonly apps: AppService;
  /** The apps of all developers, for admins. */
  readonly directory: AppDirectory;
  readonly credentials: CredentialService;
  readonly rotation: CredentialRotation;
  readonly grants: GrantService;
  /** Finishes or takes back what broke off between portal and gateway. */
  readonly recovery: Recovery;
}

type Built = 'gateway' | 'developers' | 'leases' | 'intents' | 'runner' | 'recovery' | 'reader' | 'writes';

export interface AppServicesParts extends Omit<AppParts, Built> {
  readonly gateway: Gateway;
  readonly encrypter: Encrypter;
}

/** Puts the domain together and has it follow what happens to accounts and products. */
export function createAppServices({ gateway, encrypter, ...rest }: AppServicesParts): AppServices {
  const { database, clock } = rest;
  const addresses = new GatewayAddresses(database, clock);
  const developers = new DeveloperGateway(gateway, addresses);
  const intents = new Intents(database, clock);
  const parts: AppParts = {
    ...{ ...rest, developers, intents },
    gateway: new AppGateway(gateway, addresses, developers, encrypter),
    leases: new AppLeases(database, clock),
    reader: new AppReader(database),
    writes: new AppWrites(database, clock),
    runner: new ChangeRunner({ ...rest, intents }),
    recovery: () => recovery,
  };
  const products = new AppProducts(parts);
  const recovery = new Recovery(parts, { products: (intent) => products.resume(intent) });
  listenToDevelopers(parts);
  listenToProducts(parts);
  return {
    apps: new AppService(parts),
    directory: new AppDirectory(parts),
    credentials: new CredentialService(parts),
    rotation: new CredentialRotation(parts),
    grants: new GrantService(parts),
    recovery,
  };
}
