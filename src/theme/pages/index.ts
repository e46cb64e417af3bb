import type { Page } from '../page.js';
import { appPages } from './app-pages.js';
import { credentialPages } from './credential-pages.js';
import { catalogPages } from './catalog.js';
import { dashboardPages } from './dashboard.js';
import { endViewPages } from './end-view.js';
import { landingPages } from './landing.js';
import { preferencePages } from './preferences.js';
import { productPages } from './product.js';
import { profilePages } from './profile.js';
import { recoveryPages } from './recovery.js';
import { documentPages, keyPages } from './reference-document.js';
import { referencePages } from './reference.js';
import { signInPages } from './sign-in.js';
import { signUpPages } from './sign-up.js';

/** Every page of the theme. */
export const themePages: readonly Page[] = [
  ...landingPages,
  ...catalogPages,
  ...productPages,
  ...referencePages,
  ...documentPages,
  ...keyPages,
  ...dashboardPages,
  ...endViewPages,
  ...appPages,
  ...credentialPages,
  ...signInPages({ context: 'consumer', template: 'login' }),
  ...signUpPages,
  ...recoveryPages,
  ...profilePages,
  ...preferencePages,
];
