import regexp from 'eslint-plugin-regexp';
import security from 'eslint-plugin-security';
import tseslint from 'typescript-eslint';

/** What no file of the product writes, and why. `no-restricted-syntax` is one list per file, so groups are joined below. */
const never = {
  defaultExport: {
    selector: 'ExportDefaultDeclaration',
    message: 'Use a named export: the name of a thing is the same everywhere.',
  },
  mutableExport: {
    selector: 'ExportNamedDeclaration > VariableDeclaration[kind!="const"]',
    message: 'Do not export a variable that can be reassigned; pass the value through portal.ts.',
  },
  wallClock: [
    {
      selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
      message: 'Take the injected Clock: rules that read the wall clock cannot be tested without waiting.',
    },
    {
      selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
      message: 'Take the injected Clock (or performance.now() for a duration).',
    },
    { selector: 'CallExpression[callee.name="Date"]', message: 'Take the injected Clock.' },
  ],
  rawSql: {
    selector: 'CallExpression[callee.property.name="literal"]',
    message: 'SQL text belongs to src/database, with values as parameters (no literal() elsewhere).',
  },
};

const environment = {
  object: 'process',
  property: 'env',
  message: 'Only src/config reads the environment; take the value from the configuration.',
};

const always = [never.defaultExport, never.mutableExport];

export default tseslint.config(
  {
    ignores: ['.scratch/**', 'dist/', 'dist-test/', 'coverage/', 'node_modules/', 'templates/', 'stubs/', 'examples/'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{js,mjs,cjs,ts}'],
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-unreachable': 'error',
      'no-debugger': 'error',
    },
  },
  {
    // They tell a Node.js of any age that it is too old.
    files: ['bin/portal.js', 'bin/node-version.js', 'scripts/demo/start.cjs'],
    languageOptions: { ecmaVersion: 5, sourceType: 'script' },
    rules: { 'no-var': 'off', 'object-shorthand': 'off', 'prefer-template': 'off' },
  },
  {
    // S88. Left out of eslint-plugin-security is what cries wolf at every index, path and child process; regular expressions
    // are measured too (test/house/regular-expressions.test.ts).
    files: ['src/**/*.ts', 'bin/*.js', 'scripts/**/*.mjs'],
    plugins: { security, regexp },
    rules: {
      'security/detect-bidi-characters': 'error',
      'security/detect-buffer-noassert': 'error',
      'security/detect-disable-mustache-escape': 'error',
      'security/detect-eval-with-expression': 'error',
      'security/detect-new-buffer': 'error',
      'security/detect-no-csrf-before-method-override': 'error',
      'security/detect-pseudoRandomBytes': 'error',
      'regexp/no-super-linear-backtracking': ['error', { report: 'certain' }],
      'regexp/no-misleading-unicode-character': 'error',
      'regexp/no-empty-alternative': 'error',
      'regexp/no-dupe-disjunctions': 'error',
      'regexp/no-invalid-regexp': 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      // One program for both trees; the project service would not find the tests, which tsconfig.json leaves out.
      parserOptions: { project: 'tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-array-delete': 'error',
      '@typescript-eslint/no-base-to-string': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-implied-eval': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-syntax': ['error', ...always],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines': ['error', 350],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-properties': ['error', environment],
      'no-restricted-syntax': ['error', ...always, ...never.wallClock, never.rawSql],
    },
  },
  // A list of names, one a line.
  { files: ['src/index.ts'], rules: { 'max-lines': 'off' } },
  // A contract is a list of sentences with a test each, as a test file is.
  // A list of what hosts import, which only grows.
  { files: ['src/index.ts'], rules: { 'max-lines': 'off' } },
  { files: ['src/testing/*.ts'], rules: { 'max-lines-per-function': 'off' } },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/**', 'src/database/**', 'src/openapi/**', 'src/cli/**', 'src/observability/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:process', importNames: ['env'], message: environment.message },
            {
              name: 'node:module',
              importNames: ['createRequire'],
              message: 'The import table cannot see what require() loads; use import or import().',
            },
          ],
        },
      ],
    },
  },
  { files: ['src/config/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['src/core/clock.ts', 'src/cli/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...always, never.rawSql] },
  },
  {
    files: ['src/database/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...always, ...never.wallClock] },
  },
  { files: ['src/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Answers of the portal are read as JSON in hundreds of places; the assertion is the check there.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      'max-lines': ['error', 500],
    },
  },
);
