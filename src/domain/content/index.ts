export { createContentServices, type ContentServices } from './content-services.js';
export {
  BANNER_LEVELS,
  bannerList,
  type AdminBanner,
  type BannerInput,
  type BannerLevel,
  type BannerRow,
} from './banner.js';
export { isShown, type BannerService } from './banner-service.js';
export {
  BannerCreatedEvent,
  BannerDeletedEvent,
  BannerUpdatedEvent,
  GuideCreatedEvent,
  GuideDeletedEvent,
  GuidePublishedEvent,
  GuideUpdatedEvent,
} from './events.js';
export {
  adminGuideList,
  GUIDE_KINDS,
  GUIDE_VISIBILITIES,
  guideList,
  type AdminGuide,
  type Guide,
  type GuideInput,
  type GuideKind,
  type GuidePlace,
  type GuideTranslations,
  type GuideVisibility,
  guideRecord,
  selectVisibleGuides,
} from './guide.js';
export { guideRemarkList, guideVoteList, type GuideRemark, type GuideVotes } from './guide-feedback.js';
export { guideVersionList, type GuideVersion, type GuideVersionRow } from './guide-history.js';
export { type GuideEntry, type GuideReader } from './guide-reader.js';
export {
  createGuideParser,
  readEmbedded,
  headingsOf,
  LONGEST_GUIDE,
  type EmbeddedOperation,
  type GuideHeading,
} from './guide-syntax.js';
export { guidePath, resolveGuideLink } from './guide-links.js';
