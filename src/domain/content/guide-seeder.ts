import { join } from 'node:path';
import { productRecord } from '../catalog/index.js';
import { ContentFolder } from './content-files.js';
import { inputOf } from './content-sync.js';
import { addressOf, guideRecord } from './guide.js';
import type { ContentParts } from './guide-reader.js';
import type { GuideService } from './guide-service.js';

interface SeederParts extends ContentParts {
  readonly guides: GuideService;
}

/** Writes the guides of a folder of Markdown files as if somebody had typed them in the console; those of the demo. */
export class GuideSeeder {
  constructor(private readonly parts: SeederParts) {}

  /**
   * What exists already stays as it is.
   * @param folder that holds `content/`
   * @returns each guide, and whether this run wrote it
   */
  async run(folder: string): Promise<{ readonly slug: string; readonly isNew: boolean }[]> {
    const { database, guides } = this.parts;
    const content = await new ContentFolder(join(folder, 'content'), 'content', this.parts).read();
    const report: { slug: string; isNew: boolean }[] = [];
    for (const guide of content.guides) {
      const { kind, product, slug } = guide;
      const owner = product === null ? null : await productRecord.find(database, { slug: product }, { only: ['id'] });
      if (product !== null && owner === null) continue;
      const place = { kind, productId: owner?.id ?? null };
      const isNew = !(await guideRecord.has(database, { address: addressOf(place, slug) }));
      if (isNew) await guides.create(place, inputOf(guide));
      report.push({ slug: product === null ? slug : `${product}/${slug}`, isNew });
    }
    return report;
  }
}
