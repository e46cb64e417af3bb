import { basename, resolve } from 'node:path';
import type { Background, Logger } from '../../core/index.js';
import type { ProductService } from '../catalog/index.js';
import { BannerService } from './banner-service.js';
import { ContentCheck } from './content-check.js';
import { ContentFolder } from './content-files.js';
import { ContentSync, GuideSeeder } from './content-sync.js';
import { GuideFeedback, type FeedbackParts } from './guide-feedback.js';
import { GuideService } from './guide-service.js';
import { GuideTextReader } from './guide-text.js';

export interface ContentServices {
  readonly guides: GuideService;
  /** The texts of guides as readers may see them. */
  readonly texts: GuideTextReader;
  readonly banners: BannerService;
  readonly feedback: GuideFeedback;
  readonly sync: ContentSync;
  readonly demo: GuideSeeder;
  readonly check: ContentCheck;
}

interface ContentServicesParts extends FeedbackParts {
  /** Folder of the host project. */
  readonly root: string;
  readonly logger: Logger;
  readonly background: Pick<Background, 'start'>;
  readonly products: ProductService;
}

export function createContentServices(base: ContentServicesParts): ContentServices {
  const { dir } = base.config.content;
  const guides = new GuideService(base);
  const path = resolve(base.root, dir);
  const folder = new ContentFolder(path, dir === '' ? basename(path) : dir.replace(/(?<!\/)\/+$/, ''), base);
  const sync = new ContentSync({ ...base, guides, folder });
  sync.listen();
  return {
    guides,
    banners: new BannerService(base),
    feedback: new GuideFeedback(base),
    sync,
    demo: new GuideSeeder({ ...base, guides }),
    check: new ContentCheck({ ...base, folder }),
    texts: new GuideTextReader(base.products),
  };
}
