import { activityRoutes } from './console/activity-routes.js';
import { adminRoutes } from './accounts/admin-routes.js';
import { adminMeRoutes } from './accounts/admin-me-routes.js';
import { appRoutes } from './apps/app-routes.js';
import { audienceRoutes } from './catalog/audience-routes.js';
import { ownAccountRoutes } from './accounts/own-account-routes.js';
import { authRoutes } from './accounts/sign-in-routes.js';
import { adminCategoryRoutes, categoryRoutes } from './catalog/category-routes.js';
import { configRoutes, logoRoutes, settingRoutes } from './site/setting-routes.js';
import { dashboardRoutes } from './console/dashboard-routes.js';
import { fileRoutes } from './catalog/file-routes.js';
import { developerViewRoutes } from './console/developer-view-routes.js';
import { healthRoutes } from './health-routes.js';
import { jobRoutes } from './console/job-routes.js';
import { mailRoutes } from './console/mail-routes.js';
import { managedRoutes } from './console/managed-routes.js';
import { meRoutes } from './accounts/me-routes.js';
import { adminMenuRoutes, menuRoutes } from './site/menu-routes.js';
import { permissionRoutes } from './accounts/permission-routes.js';
import { adminProductRoutes } from './catalog/product-admin-routes.js';
import { productPartRoutes } from './catalog/product-part-routes.js';
import { adminBannerRoutes, bannerRoutes } from './site/banner-routes.js';
import { adminGuideRoutes, guideRoutes } from './site/guide-routes.js';
import { guideFeedbackRoutes } from './site/guide-feedback-routes.js';
import { guideHistoryRoutes } from './site/guide-history-routes.js';
import { adminChangelogRoutes, changelogRoutes } from './catalog/changelog-routes.js';
import { noticeRoutes } from './accounts/notice-routes.js';
import { callerRoutes } from './catalog/caller-routes.js';
import { adminDeprecationRoutes, deprecationRoutes } from './catalog/deprecation-routes.js';
import { adminPlanRoutes, planRoutes } from './catalog/plan-routes.js';
import { productDocumentRoutes } from './catalog/document-routes.js';
import { adminVersionRoutes, versionRoutes } from './catalog/version-routes.js';
import { productRoutes } from './catalog/product-routes.js';
import { searchRoutes } from './site/search-routes.js';
import { roleRoutes } from './accounts/role-routes.js';
import { serviceTokenRoutes } from './accounts/service-token-routes.js';
import { transferRoutes } from './apps/transfer-routes.js';
import { waitingRoutes } from './apps/waiting-routes.js';
import { userRoutes } from './accounts/user-routes.js';
import { answerRoutes } from './usage/answer-routes.js';
import { growthRoutes } from './usage/growth-routes.js';
import { quotaRoutes } from './usage/quota-routes.js';
import { adminTeamJoiningRoutes } from './teams/admin-team-joining-routes.js';
import { adminTeamRoutes } from './teams/admin-team-routes.js';
import { teamInvitationRoutes } from './teams/team-invitation-routes.js';
import { teamJoiningRoutes } from './teams/team-joining-routes.js';
import { teamMemberRoutes } from './teams/team-member-routes.js';
import { teamRoutes } from './teams/team-routes.js';
import { usageRoutes } from './usage/usage-routes.js';
import { webhookDeliveryRoutes } from './webhooks/webhook-delivery-routes.js';
import { webhookRoutes } from './webhooks/webhook-routes.js';
import { viewRoutes } from './console/view-routes.js';
import type { PortalRoute } from './define-route.js';

export { default as Joi } from 'joi';
export { deviceHeader, presentTokenPair } from './accounts/sign-in-presenter.js';
export { challengeReply, tokenPairReply } from './accounts/sign-in-schema.js';
export { defineRoute, type PortalRoute } from './define-route.js';
export { emptyReply, idParam, timestampReply } from './fields.js';
export { unsubscribeEndpoint } from './accounts/unsubscribe-endpoint.js';
export { gatewayEndpoints } from './gateway/endpoints.js';
export { webhookKeysEndpoint } from './webhooks/webhook-routes.js';
export { describeWebhooks, type DescribedWebhook } from './webhooks/describe-webhooks.js';

/** Every endpoint of the REST API. */
export const apiRoutes: readonly PortalRoute[] = [
  ...healthRoutes,
  ...configRoutes,
  ...authRoutes,
  ...productRoutes,
  ...versionRoutes,
  ...planRoutes,
  ...changelogRoutes,
  ...deprecationRoutes,
  ...categoryRoutes,
  ...guideRoutes,
  ...bannerRoutes,
  ...searchRoutes.filter(({ context }) => context === 'consumer'),
  ...fileRoutes,
  ...menuRoutes,
  ...meRoutes,
  ...noticeRoutes,
  ...ownAccountRoutes,
  ...appRoutes,
  ...transferRoutes,
  ...teamRoutes,
  ...teamMemberRoutes,
  ...teamInvitationRoutes,
  ...teamJoiningRoutes,
  ...usageRoutes,
  ...answerRoutes,
  ...growthRoutes,
  ...quotaRoutes,
  ...[...webhookRoutes, ...webhookDeliveryRoutes].filter(({ context }) => context === 'consumer'),
  ...adminMeRoutes,
  ...userRoutes,
  ...developerViewRoutes,
  ...adminTeamRoutes,
  ...adminTeamJoiningRoutes,
  ...waitingRoutes,
  ...adminPlanRoutes,
  ...adminChangelogRoutes,
  ...adminDeprecationRoutes,
  ...callerRoutes,
  ...adminProductRoutes,
  ...productPartRoutes,
  ...adminVersionRoutes,
  ...productDocumentRoutes,
  ...adminCategoryRoutes,
  ...audienceRoutes,
  ...adminGuideRoutes,
  ...guideHistoryRoutes,
  ...guideFeedbackRoutes,
  ...adminBannerRoutes,
  ...adminMenuRoutes,
  ...logoRoutes,
  ...settingRoutes,
  ...activityRoutes,
  ...dashboardRoutes,
  ...mailRoutes,
  ...jobRoutes,
  ...searchRoutes.filter(({ context }) => context === 'admin'),
  ...[...webhookRoutes, ...webhookDeliveryRoutes].filter(({ context }) => context === 'admin'),
  ...adminRoutes,
  ...roleRoutes,
  ...permissionRoutes,
  ...serviceTokenRoutes,
  ...managedRoutes,
  ...viewRoutes,
];

export { managedIdOf } from './managed.js';
