import { APP_NAME, RESERVED_APP_NAMES } from './app-input.js';

/** Characters allowed in a gateway URL (S56). */
const GATEWAY_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/;
const LONGEST = 90;

/** Whether gateway calls can address an app of that name. */
export function isAddressable(gatewayName: string): boolean {
  return GATEWAY_NAME.test(gatewayName) && gatewayName === gatewayName.trim();
}

/**
 * A name derived from an app's title: the part that is allowed in a URL.
 * @param taken as {@link portalName}
 */
export function nameOfTitle(title: string, taken: Set<string>): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return portalName(isUsable(plain) ? plain : makeAllowed(plain), taken);
}

/**
 * The portal name of an imported app: its own name if allowed, otherwise a similar one.
 * @param taken names of the developer's other apps in lower case; the new one is added
 */
export function portalName(gatewayName: string, taken: Set<string>): string {
  const usable = isUsable(gatewayName) ? gatewayName : makeAllowed(gatewayName);
  let name = usable;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${usable.slice(0, LONGEST)}-${number}`;
  taken.add(name.toLowerCase());
  return name;
}

function isUsable(name: string): boolean {
  return APP_NAME.test(name) && !RESERVED_APP_NAMES.includes(name.toLowerCase());
}

function makeAllowed(name: string): string {
  const cleaned = name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|(?<!-)-+$/g, '')
    .slice(0, LONGEST);
  return isUsable(cleaned) ? cleaned : `app-${cleaned}`.replace(/(?<!-)-+$/, '');
}
