import { runInNewContext } from 'node:vm';
import type { PostmanCollection } from '../../src/apidocs/postman/collection.js';
import { fileForm, PNG } from './forms.js';
import type { Answer, Call, TestClient } from './http-client.js';

interface Item {
  readonly id: string;
  readonly event?: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly auth?: Auth;
    readonly header: readonly Field[];
    readonly url: {
      readonly path: readonly string[];
      readonly query?: readonly Field[];
      readonly variable?: readonly Field[];
    };
    readonly body?: {
      readonly mode: string;
      readonly raw?: string;
      readonly formdata?: readonly { readonly key: string }[];
    };
  };
}

interface Field {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Auth {
  readonly type: string;
  readonly bearer?: readonly { readonly value: string }[];
}

interface Folder {
  readonly auth?: Auth;
  readonly item: readonly (Folder | Item)[];
}

/** Does what Postman does with a collection: fills variables in, sends, and runs the script of the request. */
export class PostmanRunner {
  readonly variables: Map<string, string>;
  private readonly items = new Map<string, Item & { readonly auth: Auth }>();

  constructor(
    collection: PostmanCollection,
    private readonly client: TestClient,
  ) {
    this.variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
    this.gather(collection as unknown as Folder, { type: 'noauth' });
  }

  /** Ids of the requests, in the order of the collection. */
  get ids(): string[] {
    return [...this.items.keys()];
  }

  methodOf(id: string): string {
    return this.item(id).request.method;
  }

  async run(id: string): Promise<Answer> {
    const { request, event = [], auth } = this.item(id);
    const { method, url } = request;
    const path = url.path.map((part) =>
      part.startsWith(':') ? encodeURIComponent(this.named(url.variable, part)) : part,
    );
    const base = new URL(this.fill('{{base_url}}')).pathname;
    const answer = await this.client.send(method, `${base}/${path.join('/')}${this.query(url.query)}`, {
      headers: Object.fromEntries(
        this.enabled(request.header).map(({ key, value }) => [key.toLowerCase(), this.fill(value)]),
      ),
      ...this.body(request),
      ...this.token(request.auth ?? auth),
    });
    for (const { script } of event) this.follow(script.exec.join('\n'), answer);
    return answer;
  }

  private item(id: string) {
    const item = this.items.get(id);
    if (!item) throw new Error(`The collection has no request ${id}.`);
    return item;
  }

  private gather({ item, auth }: Folder, inherited: Auth): void {
    for (const one of item) {
      if ('item' in one) this.gather(one, auth ?? inherited);
      else this.items.set(one.id, { ...one, auth: auth ?? inherited });
    }
  }

  private fill(text: string): string {
    return text.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => this.variables.get(name) ?? '');
  }

  private enabled(fields: readonly Field[] = []): Field[] {
    return fields.filter(({ disabled }) => disabled !== true);
  }

  private named(fields: readonly Field[] = [], part: string): string {
    return this.fill(fields.find(({ key }) => `:${key}` === part)?.value ?? '');
  }

  private query(fields: readonly Field[] | undefined): string {
    const query = new URLSearchParams(
      Object.fromEntries(this.enabled(fields).map(({ key, value }) => [key, this.fill(value)])),
    );
    return query.size > 0 ? `?${query.toString()}` : '';
  }

  private body({ body }: Item['request']): Call {
    if (body?.mode === 'raw') return { raw: this.fill(body.raw ?? '') };
    const [file] = body?.formdata ?? [];
    return file ? fileForm(file.key, PNG) : {};
  }

  private token({ type, bearer: [token] = [] }: Auth): Call {
    return type === 'bearer' && token ? { token: this.fill(token.value) } : {};
  }

  private follow(script: string, { status, json }: Answer): void {
    const collectionVariables = {
      get: (name: string) => this.variables.get(name),
      set: (name: string, value: string) => void this.variables.set(name, value),
    };
    runInNewContext(script, { pm: { response: { code: status, json: () => json }, collectionVariables } });
  }
}
