import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import type { PostmanCollection } from '../../src/openapi/postman/collection.js';
import { fileForm } from './forms.js';
import type { Answer, Call, TestClient } from './http-client.js';

interface Item {
  readonly id: string;
  readonly event?: readonly { readonly listen: string; readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly auth: Auth;
    readonly header: readonly Field[];
    readonly url: {
      readonly path: readonly string[];
      readonly query?: readonly Field[];
      readonly variable?: readonly Field[];
    };
    readonly body?: { readonly mode: string; readonly raw?: string; readonly formdata?: readonly FormField[] };
  };
}

interface Field {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface FormField extends Field {
  readonly contentType: string;
  readonly fileName: string;
}

interface Auth {
  readonly type: string;
  readonly bearer?: readonly { readonly value: string }[];
}

interface Folder {
  readonly item: readonly (Folder | Item)[];
}

/** What came of one request of a run. */
export interface PostmanResult {
  readonly id: string;
  readonly answer: Answer;
  /** Names of the assertions. */
  readonly passed: readonly string[];
  /** `name: reason` */
  readonly failed: readonly string[];
}

export interface PostmanRunnerOptions {
  /** The time of the scripts, in milliseconds. */
  readonly now: () => number;
  /** Comes before a request: what a person would fill in. */
  readonly before?: (id: string, runner: PostmanRunner) => Promise<void>;
}

/**
 * Does what Postman and newman do with a collection: takes the requests in order, fills variables in, also those within
 * variables, sends, and runs the scripts.
 */
export class PostmanRunner {
  readonly variables: Map<string, string>;
  private readonly items: Item[];

  constructor(
    collection: PostmanCollection,
    private readonly client: TestClient,
    private readonly options: PostmanRunnerOptions,
  ) {
    this.variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
    this.items = itemsOf(collection as unknown as Folder);
  }

  /** Every request of the collection, once. */
  async run(): Promise<PostmanResult[]> {
    const results: PostmanResult[] = [];
    for (const item of this.items) {
      await this.options.before?.(item.id, this);
      results.push(await this.send(item));
    }
    return results;
  }

  private async send(item: Item): Promise<PostmanResult> {
    this.follow(item, 'prerequest', undefined);
    const { method, url, header, body, auth } = item.request;
    const path = url.path.map((part) =>
      part.startsWith(':') ? encodeURIComponent(this.named(url.variable, part)) : part,
    );
    const base = new URL(this.fill('{{base_url}}')).pathname;
    const headers = enabled(header).map(({ key, value }) => [key.toLowerCase(), this.fill(value)]);
    const answer = await this.client.send(method, `${base}/${path.join('/')}${this.query(url.query)}`, {
      headers: Object.fromEntries(headers) as Record<string, string>,
      ...this.body(body),
      ...this.token(auth),
    });
    return { id: item.id, answer, ...this.follow(item, 'test', answer) };
  }

  private fill(text: string): string {
    const filled = text.replace(/\{\{(\w+)\}\}/g, (match, name: string) => this.variables.get(name) ?? match);
    return filled === text ? text : this.fill(filled);
  }

  private named(fields: readonly Field[] = [], part: string): string {
    return this.fill(fields.find(({ key }) => `:${key}` === part)?.value ?? '');
  }

  private query(fields: readonly Field[] | undefined): string {
    const query = new URLSearchParams(
      Object.fromEntries(enabled(fields).map(({ key, value }) => [key, this.fill(value)])),
    );
    return query.size > 0 ? `?${query.toString()}` : '';
  }

  private body(body: Item['request']['body']): Call {
    if (body?.mode === 'raw') return { raw: this.fill(body.raw ?? '') };
    const [part] = body?.formdata ?? [];
    return part ? fileForm(part.key, this.fill(part.value), part.fileName, part.contentType) : {};
  }

  private token({ type, bearer: [token] = [] }: Auth): Call {
    return type === 'bearer' && token ? { token: this.fill(token.value) } : {};
  }

  private follow({ event = [] }: Item, listen: string, answer: Answer | undefined) {
    const passed: string[] = [];
    const failed: string[] = [];
    const test = (name: string, check: () => void) => {
      try {
        check();
        passed.push(name);
      } catch (error) {
        failed.push(`${name}: ${String(error)}`);
      }
    };
    const pm = { test, expect, ...this.scope(), response: answer && responseOf(answer) };
    for (const { script } of event.filter((one) => one.listen === listen)) {
      runInNewContext(script.exec.join('\n'), { pm, Date: { now: this.options.now } });
    }
    return { passed, failed };
  }

  private scope() {
    const collectionVariables = {
      get: (name: string) => this.variables.get(name),
      set: (name: string, value: string) => void this.variables.set(name, value),
    };
    return { collectionVariables, variables: collectionVariables };
  }
}

function itemsOf({ item }: Folder): Item[] {
  return item.flatMap((one) => ('item' in one ? itemsOf(one) : [one]));
}

function enabled(fields: readonly Field[] = []): Field[] {
  return fields.filter(({ disabled }) => disabled !== true);
}

function responseOf({ status, headers, text }: Answer) {
  return {
    code: status,
    headers: { get: (name: string) => headers.get(name) ?? undefined },
    json: () => JSON.parse(text) as unknown,
  };
}

/** The part of chai that the scripts use. */
function expect(value: unknown) {
  const claim = (isTrue: boolean, what: string) => {
    if (!isTrue) throw new Error(`expected ${JSON.stringify(value)} ${what}`);
  };
  // Values of a script come from its own realm.
  const plain = (one: unknown): unknown => (one === undefined ? one : JSON.parse(JSON.stringify(one)));
  return {
    to: {
      eql: (other: unknown) =>
        claim(isDeepStrictEqual(plain(value), plain(other)), `to equal ${JSON.stringify(other)}`),
      be: {
        an: (type: string) => claim(type === 'array' && Array.isArray(value), `to be an ${type}`),
        oneOf: (list: readonly unknown[]) => claim(list.includes(value), `to be one of ${JSON.stringify(list)}`),
      },
    },
  };
}
