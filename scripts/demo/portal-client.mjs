/** The few REST calls that the demo makes. */
export class PortalClient {
  #base;
  #token = '';

  /** @param {string} base URL of the portal with the API prefix */
  constructor(base) {
    this.#base = base;
  }

  /** Waits until the portal answers, or until `ended` says that it will not. */
  async ready(ended, within) {
    const giveUp = Date.now() + within;
    while (Date.now() < giveUp) {
      if (await Promise.race([this.#healthy(), ended])) return;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    throw new Error(`${this.#base}/health did not answer 200 within ${within / 1000} s`);
  }

  async login(email, password) {
    const { access_token: token } = await this.#send('POST', '/auth/login', { email, password });
    this.#token = token;
  }

  async loginAsAdmin(email, password) {
    const { access_token: token } = await this.#send('POST', '/admin/auth/login', { email, password });
    this.#token = token;
  }

  /** Puts a server at the head of a product's document, in place of the one with that description of an earlier run. */
  async nameServer(product, server) {
    const path = `/admin/products/${product}/spec`;
    const headers = { Accept: 'application/json', Authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.#base + path, { headers, signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    const spec = await response.json();
    const others = (spec.servers ?? []).filter(({ description }) => description !== server.description);
    const named = { ...spec, servers: [server, ...others] };
    await this.#send('PUT', path, { spec: named });
    return named;
  }

  /** Creates a plan whose first version is active. */
  async createPlan(plan, limits) {
    await this.#send('POST', '/admin/plans', plan);
    const { number } = await this.#send('POST', `/admin/plans/${plan.slug}/versions`, limits);
    await this.#send('POST', `/admin/plans/${plan.slug}/versions/${number}/activate`);
  }

  /** @param {readonly string[]} plans slugs, the default one first */
  async offerPlans(product, plans) {
    await this.#send('PUT', `/admin/products/${product}/plans`, { plans });
  }

  /** Creates an app with one product; answers its name and its first credential, key included. */
  async createApp(app) {
    const created = await this.#send('POST', '/me/apps', app);
    const [credential] = created.credentials;
    if (!credential?.consumer_key) throw new Error('POST /me/apps answered without data.credentials[0].consumer_key');
    return { name: created.name, credentialId: credential.id, key: credential.consumer_key };
  }

  async #healthy() {
    try {
      const response = await fetch(`${this.#base}/health`, { signal: AbortSignal.timeout(2_000) });
      return response.status === 200;
    } catch {
      return false;
    }
  }

  async #send(method, path, body) {
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(this.#base + path, { method, headers, body: JSON.stringify(body), signal });
    const envelope = await response.json();
    if (!response.ok) {
      const error = new Error(`${method} ${path} answered ${response.status} ${envelope.message}`);
      throw Object.assign(error, { output: JSON.stringify(envelope, null, 2) });
    }
    return envelope.data;
  }
}
