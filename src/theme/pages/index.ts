import type { Page } from '../page.js';
import { landingPages } from './landing.js';
import { preferencePages } from './preferences.js';
import { profilePages } from './profile.js';
import { recoveryPages } from './recovery.js';
import { signInPages } from './sign-in.js';
import { signUpPages } from './sign-up.js';

/** Every page of the theme. */
export const themePages: readonly Page[] = [
  ...landingPages,
  ...signInPages,
  ...signUpPages,
  ...recoveryPages,
  ...profilePages,
  ...preferencePages,
];
