import type { Page } from '../page.js';
import { appPages } from './app-pages.js';
import { appTransferPages } from './app-transfers.js';
import { appUsagePages } from './app-usage.js';
import { credentialPages } from './credential-pages.js';
import { catalogPages } from './catalog.js';
import { compareVersionsPages } from './compare-versions.js';
import { dashboardPages } from './dashboard.js';
import { endViewPages } from './end-view.js';
import { agentPages } from './for-agents.js';
import { guidePages } from './guides.js';
import { landingPages } from './landing.js';
import { newsPages } from './news.js';
import { preferencePages } from './preferences.js';
import { productPages } from './product.js';
import { productChangesPages } from './product-changes.js';
import { workflowPages } from './product-workflows.js';
import { profilePages } from './profile.js';
import { recoveryPages } from './recovery.js';
import { changeNoticePages } from './change-notices.js';
import { documentPages, keyPages } from './reference-document.js';
import { sendPages } from './reference-send.js';
import { referencePages } from './reference.js';
import { writtenPages } from './reference-written.js';
import { searchPages } from './search.js';
import { signInPages } from './sign-in.js';
import { signUpPages } from './sign-up.js';
import { sitemapPages } from './sitemap.js';
import { teamPages } from './team-pages.js';
import { webhookPages } from './webhook-pages.js';

/** Every page of the theme. */
export const themePages: readonly Page[] = [
  ...landingPages,
  ...catalogPages,
  ...productPages,
  ...searchPages,
  ...productChangesPages,
  ...workflowPages,
  ...guidePages,
  ...newsPages,
  ...compareVersionsPages,
  ...referencePages,
  ...writtenPages,
  ...documentPages,
  ...sendPages,
  ...keyPages,
  ...dashboardPages,
  ...endViewPages,
  ...appPages,
  ...appTransferPages,
  ...appUsagePages,
  ...credentialPages,
  ...teamPages,
  ...webhookPages,
  ...signInPages({ context: 'consumer', template: 'login' }),
  ...signUpPages,
  ...recoveryPages,
  ...profilePages,
  ...changeNoticePages,
  ...preferencePages,
  ...sitemapPages,
  ...agentPages,
];
