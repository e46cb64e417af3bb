import type { Page } from '../page.js';
import { appPages } from './apps/app-pages.js';
import { credentialPages } from './apps/credential-pages.js';
import { catalogPages } from './catalog.js';
import { landingPages } from './landing.js';

/** Every page of the theme. */
export const themePages: readonly Page[] = [...landingPages, ...catalogPages, ...appPages, ...credentialPages];
