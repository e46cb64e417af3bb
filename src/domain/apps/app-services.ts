import type { Gateway } from '../../gateway/index.js';
import type { Encrypter } from '../../kernel/index.js';
import { AppDirectory } from './app-directory.js';
import { AppGateway } from './app-gateway.js';
import { AppLeases } from './app-leases.js';
import type { AppParts } from './app-parts.js';
import { AppReader } from './app-reader.js';
import { AppService } from './app-service.js';
import { CredentialRotation } from './credential-rotation.js';
import { CredentialService } from './credential-service.js';
import { listenToDevelopers } from './developer-listener.js';
import { GrantService } from './grant-service.js';
import { listenToProducts } from './product-listener.js';

/** The services of this domain, as routes and pages call them. */
export interface AppServices {
  readonly apps: AppService;
  /** The apps of all developers, for admins. */
  readonly directory: AppDirectory;
  readonly credentials: CredentialService;
  readonly rotation: CredentialRotation;
  readonly grants: GrantService;
}

export interface AppServicesParts extends Omit<AppParts, 'gateway' | 'leases' | 'reader'> {
  readonly gateway: Gateway;
  readonly encrypter: Encrypter;
}

/** Puts the domain together and has it follow what happens to accounts and products. */
export function createAppServices({ gateway, encrypter, ...rest }: AppServicesParts): AppServices {
  const { database, clock } = rest;
  const parts: AppParts = {
    ...rest,
    gateway: new AppGateway(gateway, encrypter),
    leases: new AppLeases(database, clock),
    reader: new AppReader(database),
  };
  listenToDevelopers(parts);
  listenToProducts(parts);
  return {
    apps: new AppService(parts),
    directory: new AppDirectory(parts),
    credentials: new CredentialService(parts),
    rotation: new CredentialRotation(parts),
    grants: new GrantService(parts),
  };
}
