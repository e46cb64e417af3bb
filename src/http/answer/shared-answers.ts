import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { write, type Answer } from './answer.js';
import { isHeld } from './conditional.js';
import { LARGE_BODY } from './large-bodies.js';
import type { SharedReply } from './reply.js';

/** The same page may be requested with several spellings of its URL. */
const MOST_OF_ONE_SOURCE = 4;
/** Proxies may cache it, but must revalidate each time. */
const CACHING = 'public, no-cache';
const DEPENDS_ON = 'Authorization, Accept-Language';

interface TaggedAnswer {
  readonly tag: string;
  readonly caching: Answer['headers'];
  readonly answer: Answer;
}

/** Answers cached per source object, and dropped with it. */
export class SharedAnswers {
  private readonly bySource = new WeakMap<object, Map<string, TaggedAnswer>>();

  /** @param base prefix of the links in the response */
  send(request: Request, response: Response, base: string, reply: SharedReply, render: () => Answer): void {
    const { tag, caching, answer } = this.find(reply.source, base + request.originalUrl, render);
    response.vary(DEPENDS_ON);
    if (isHeld(request.headers['if-none-match'], tag)) write(response, { status: 304, headers: caching, body: '' });
    else write(response, answer);
  }

  private find(source: object, url: string, render: () => Answer): TaggedAnswer {
    let answers = this.bySource.get(source);
    if (!answers) this.bySource.set(source, (answers = new Map<string, TaggedAnswer>()));
    const known = answers.get(url);
    if (known) return known;
    const answer = readByMany(render());
    const tag = createHash('sha256').update(answer.body).digest('base64url').slice(0, 22);
    const caching = { 'cache-control': CACHING, etag: `"${tag}"` };
    const tagged = { tag, caching, answer: { ...answer, headers: { ...answer.headers, ...caching } } };
    if (answers.size < MOST_OF_ONE_SOURCE) answers.set(url, tagged);
    return tagged;
  }
}

// As text, a large body would be encoded, and take memory, once more for each reader.
function readByMany(answer: Answer): Answer {
  return answer.body.length < LARGE_BODY ? answer : { ...answer, body: Buffer.from(answer.body) };
}
