import { UsageError } from './errors.js';

/** The spellings of a name that stubs use. */
export type StubNames = Readonly<
  Record<'name' | 'Name' | 'camel' | 'snake' | 'ENV' | 'Title' | 'title' | 'stamp', string>
>;

/** What one `make:` command writes, and the manual steps that remain. */
export interface StubSet {
  /** Path in the project → stub. */
  files(names: StubNames): Readonly<Record<string, string>>;
  /** Lines for portal.config.ts, in order. */
  wiring(names: StubNames): readonly string[];
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** @throws UsageError for a name that is not words joined by hyphens */
export function makeNames(name: string, now: Date): StubNames {
  if (!KEBAB_CASE.test(name)) {
    const near = name
      .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^[-0-9]+|(?<!-)-+$/g, '');
    throw new UsageError(`"${name}" is no name: use words such as partner-reports.${near ? ` Try ${near}.` : ''}`);
  }
  const words = name.split('-');
  const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  const Name = words.map(capital).join('');
  return {
    ...{ name, Name },
    camel: `${Name.charAt(0).toLowerCase()}${Name.slice(1)}`,
    snake: words.join('_'),
    ENV: words.join('_').toUpperCase(),
    Title: capital(words.join(' ')),
    title: words.join(' '),
    stamp: now.toISOString().replace(/\D/g, '').slice(0, 14),
  };
}

/** Without a name: the flow that `portal init` generates. */
export const ownAuthFlow: StubSet = {
  files: () => ({
    'src/auth-flow.ts': 'project/src/auth-flow.ts',
    'test/auth-flow.test.js': 'project/test/auth-flow.test.js',
  }),
  wiring: () => [
    "import { ProjectAuthFlow } from './src/auth-flow.js';",
    'authFlow: (parts) => new ProjectAuthFlow(parts, { emailDomains: [] }),',
  ],
};

export const namedAuthFlow: StubSet = {
  files: ({ name }) => ({
    [`src/${name}-auth-flow.ts`]: 'make/auth-flow.ts',
    [`test/${name}-auth-flow.test.js`]: 'make/auth-flow.test.js',
  }),
  wiring: ({ name, Name }) => [
    `import { ${Name}AuthFlow } from './src/${name}-auth-flow.js';`,
    `authFlow: (parts) => new ${Name}AuthFlow(parts, { adminNetworks: [] }),`,
  ],
};

export const controller: StubSet = {
  files: ({ name }) => ({
    [`src/controllers/${name}.ts`]: 'make/controller.ts',
    [`test/${name}.test.js`]: 'make/controller.test.js',
  }),
  wiring: ({ name, camel }) => [
    `import { ${camel}Routes } from './src/controllers/${name}.js';`,
    `routes: () => [...projectRoutes, ...${camel}Routes],`,
  ],
};

export const adminPage: StubSet = {
  files: ({ name }) => ({
    [`src/admin/${name}.ts`]: 'make/admin-page.ts',
    [`test/${name}-admin.test.js`]: 'make/admin-page.test.js',
  }),
  wiring: ({ name, camel }) => [
    `import { ${camel}AdminRoutes, ${camel}Page } from './src/admin/${name}.js';`,
    `routes: () => [...projectRoutes, ...${camel}AdminRoutes],`,
    `adminResources: () => [${camel}Page],`,
  ],
};

export const gateway: StubSet = {
  files: ({ name }) => ({
    [`src/gateways/${name}-gateway.ts`]: 'make/gateway.ts',
    [`test/${name}-gateway.test.js`]: 'make/gateway.test.js',
  }),
  wiring: ({ name, Name }) => [
    `import { ${Name}Gateway } from './src/gateways/${name}-gateway.js';`,
    `gateway: { driver: '${name}' },`,
    `gatewayDrivers: { '${name}': () => new ${Name}Gateway() },`,
  ],
};

export const portalModule: StubSet = {
  files: ({ name }) => ({
    [`src/modules/${name}/index.ts`]: 'make/module.ts',
    [`src/modules/${name}/templates/theme/pages/${name}.hbs`]: 'make/module-page.hbs',
    [`src/modules/${name}/templates/lang/en.json`]: 'make/module-en.json',
    [`src/modules/${name}/templates/lang/ar.json`]: 'make/module-ar.json',
    [`test/${name}-module.test.js`]: 'make/module.test.js',
  }),
  wiring: ({ name, camel }) => [`import { ${camel} } from './src/modules/${name}/index.js';`, `modules: [${camel}],`],
};
