import { ForbiddenError, ValidationError } from '../../../src/core/index.js';
import type { BulkCaller, BulkJob, ImportDraft } from '../../../src/domain/console/index.js';
import { createProduct, createUser } from '../../support/factories.js';
import { bulkActions, callerOf, routePort, type PortWatch } from '../../support/route-port.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let caller: BulkCaller;
let watch: PortWatch = {};
let tokens = 0;

beforeAll(async () => {
  test = await startTestPortal({ replicas: 1 });
  caller = await callerOf(test);
  const port = routePort(test, {
    before: (operation, call) => watch.before?.(operation, call),
    after: (operation, call) => watch.after?.(operation, call),
  });
  test.portal.services.console.operations.connect(port, bulkActions);
});
afterAll(() => test.stop());
beforeEach(() => void (watch = {}));

const imports = () => test.portal.services.console.imports;
const upload = (resource: string, text: string | Buffer, by = caller) =>
  imports().upload(resource, Buffer.from(text), `import-${(tokens += 1)}`, by);
const run = async ({ job, mapping }: ImportDraft, by = caller) => {
  await imports().start(job.uuid, mapping, by);
  await test.portal.jobs.run('bulk');
  return test.portal.services.console.jobs.find(job.uuid, by.actor.id);
};
const rowsOf = async (job: Pick<BulkJob, 'id'>) => {
  const rows = [];
  for await (const batch of test.portal.services.console.jobs.results(job)) rows.push(...batch);
  return rows.map(({ recordKey, state, status, message }) => [recordKey, state, status, message]);
};
const payloads = (job: Pick<BulkJob, 'id'>) =>
  test.portal.database.select<{ payload: string | null }>('SELECT payload FROM portal_bulk_rows WHERE job_id = ?', [
    job.id,
  ]);
const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof ValidationError ? error.errors : error;
};

describe('the file of an import', () => {
  it('is read with commas, semicolons or tabs, quotes, empty lines and a byte order mark, its columns guessed', async () => {
    const files = [
      'E-Mail,Given Name,Surname,Phone\r\n"a@example.com","Ada, Countess","Love ""lace""",1\r\n\r\nb@example.com,B,B,2\r\n',
      '\ufeffEmail;first_name;LAST NAME\na@example.com;"Ada, Countess";"Love ""lace"""\nb@example.com;B;B',
      'mail\tFirst\tLast\na@example.com\tAda, Countess\t"Love ""lace"""\nb@example.com\tB\tB\n',
    ];
    for (const file of files) {
      const { columns, mapping, sample, fields, job } = await upload('users', file);
      expect(mapping).toEqual({ email: columns[0], first_name: columns[1], last_name: columns[2] });
      expect(sample[0]?.slice(0, 3)).toEqual(['a@example.com', 'Ada, Countess', 'Love "lace"']);
      expect(fields.map(({ name }) => name)).toEqual([
        'first_name',
        'last_name',
        'email',
        'status',
        'locale',
        'audiences',
      ]);
      expect(job).toMatchObject({ state: 'draft', total: 2, kind: 'import' });
    }
  });

  it('is encrypted in the database, and says so to a rotation of the key', async () => {
    const { job } = await upload('users', 'email,first_name,last_name\ncanary@example.com,Canary,Bird\n');
    const [row] = await payloads(job);
    expect(row?.payload).toMatch(/^v1\./);
    expect(JSON.stringify(await test.portal.database.select('SELECT * FROM portal_bulk_rows'))).not.toContain('canary');
    const sealed = (await test.portal.sampleEncrypted()).find(({ table }) => table === 'portal_bulk_rows');
    expect(sealed).toMatchObject({ unreadable: 0, earlier: 0 });
    expect(sealed?.examined).toBeGreaterThan(0);
  });

  it.each([
    ['', 'The file needs a line with the names of the columns, and records.'],
    ['email\n', 'The file needs a line with the names of the columns, and records.'],
    ['email,email\na,b\n', 'The column email occurs twice.'],
    ['email,\na,b\n', 'Every column needs a name in the first line.'],
    ['a,b\n1,2,3\n', 'Line 2 has more cells than there are columns.'],
    [Buffer.from('a,b\n\xff,2\n', 'latin1'), 'The file must be written in UTF-8.'],
    [Buffer.alloc(5 * 1024 * 1024 + 1, 'a'), 'The file must not be larger than 5 MB.'],
    [`email\n${'a\n'.repeat(10_001)}`, 'The file must not have more than 10000 records.'],
  ])('%# is refused with the reason', async (file, sentence) => {
    expect(await refusal(upload('users', file))).toEqual({ file: [sentence] });
  });

  it('with an open quote is refused with the place', async () => {
    expect(await refusal(upload('users', 'a,b\n"open,2\n'))).toMatchObject({
      file: [expect.stringMatching(/no CSV.*quote/i)],
    });
  });

  it('is the admin who uploaded it’s alone, can be discarded, and goes after a day', async () => {
    const file = 'email,first_name,last_name\nc@example.com,C,C\n';
    const { job } = await upload('users', file);
    const other = await callerOf(test);
    await expect(imports().draft(job.uuid, other.actor)).rejects.toMatchObject({ status: 404 });
    await expect(imports().start(job.uuid, {}, other)).rejects.toMatchObject({ status: 404 });
    await imports().discard(job.uuid, caller.actor);
    expect(await payloads(job)).toEqual([]);
    const later = await upload('users', file);
    test.clock.advance(86_401);
    await test.portal.jobs.run('housekeeping');
    await expect(imports().draft(later.job.uuid, caller.actor)).rejects.toMatchObject({ status: 404 });
    expect(await payloads(later.job)).toEqual([]);
  });

  it('is taken only from who may make what it holds', async () => {
    const viewer = await callerOf(test, ['portal.users.view']);
    await expect(upload('users', 'email\na\n', viewer)).rejects.toThrow(ForbiddenError);
    const creator = await callerOf(test, ['portal.apps.create']);
    await expect(upload('apps', 'name\na\n', creator)).rejects.toThrow(ForbiddenError);
    await expect(upload('admins', 'email\na\n')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the dry run of an import', () => {
  const file =
    'email,first_name,last_name,status\nfine@example.com,A,A,\nno address,B,B,\nFINE@example.com,C,C,active\nd@example.com,,D,gone\n';

  it('says of each line what the operation would refuse, and makes nothing', async () => {
    const { job, mapping } = await upload('users', file);
    const { total, valid, errors } = await imports().dryRun(job.uuid, mapping, caller.actor);
    expect([total, valid]).toEqual([4, 1]);
    expect(errors.map(({ line, field }) => [line, field])).toEqual([
      [3, 'email'],
      [4, 'email'],
      [5, 'first_name'],
      [5, 'status'],
    ]);
    expect(errors[1]?.message).toBe('Line 2 has the same.');
    const lines = [];
    for await (const line of imports().errorLines(job.uuid, mapping, caller.actor)) lines.push(line);
    expect(lines.join('')).toContain('"line","field","message"\r\n"3","email",');
    expect(await test.portal.services.accounts.users.findByEmail('fine@example.com')).toBeNull();
  });

  it('refuses a mapping that names what is not there, and one without what is required', async () => {
    const { job, mapping } = await upload('users', file);
    const check = (other: Record<string, string>) => refusal(imports().dryRun(job.uuid, other, caller.actor));
    expect(await check({ ...mapping, password: 'email' })).toEqual({
      password: ['There is no field password to import.'],
    });
    expect(await check({ ...mapping, email: 'mail' })).toEqual({ email: ['The file has no column mail.'] });
    expect(await check({ email: 'email' })).toEqual({
      first_name: ['first_name needs a column.'],
      last_name: ['last_name needs a column.'],
    });
  });
});

describe('an import', () => {
  it('makes developers with what the file says, without a password that anybody knows', async () => {
    await test.portal.services.catalog.audiences.create({ name: 'partners' });
    const draft = await upload(
      'users',
      'email,first_name,last_name,audiences,status\nImported@Example.com,"\'=Ada",Lovelace,partners,pending\ntaken@example.com,B,B,,\n',
    );
    await createUser(test, { email: 'taken@example.com' });
    const job = await run(draft);
    expect(job).toMatchObject({ state: 'done', done: 1, failed: 1 });
    expect(await rowsOf(job)).toEqual([
      ['2', 'done', 201, null],
      ['3', 'failed', 422, expect.stringContaining('email')],
    ]);
    const made = await test.portal.services.accounts.users.findByEmail('imported@example.com');
    expect(made?.user).toMatchObject({ firstName: '=Ada', status: 'pending', emailVerifiedAt: null });
    expect(made?.passwordHash).toMatch(/^\$argon2id/);
    expect((await test.portal.services.catalog.userAudiences.of([made?.user.id ?? 0])).size).toBe(1);
  });

  it('leaves nothing of the file once it is over', async () => {
    const job = await run(await upload('users', 'email,first_name,last_name\ngone1@example.com,A,A\nbad,B,B\n'));
    expect(await payloads(job)).toEqual([{ payload: null }, { payload: null }]);
    const draft = await upload('users', 'email,first_name,last_name\ngone2@example.com,A,A\ngone3@example.com,B,B\n');
    await imports().start(draft.job.uuid, draft.mapping, caller);
    await test.portal.services.console.jobs.stop(draft.job.uuid, caller.actor.id);
    await test.portal.jobs.run('bulk');
    expect(await payloads(draft.job)).toEqual([{ payload: null }, { payload: null }]);
    expect(await test.portal.services.accounts.users.findByEmail('gone2@example.com')).toBeNull();
  });

  it('starts once, however often it is asked to', async () => {
    const draft = await upload('users', 'email,first_name,last_name\nonce@example.com,A,A\n');
    await run(draft);
    expect(await run(draft)).toMatchObject({ state: 'done', done: 1, failed: 0 });
  });

  it('makes apps for the developers that it names by their address', async () => {
    const { email, id } = await createUser(test);
    await createProduct(test, { slug: 'payments' });
    const file = `Owner,Name,Title,Products\n${email.toUpperCase()},imported,My app,payments\n${email},second,,\nnobody@example.com,third,,\n`;
    const draft = await upload('apps', file);
    expect(draft.mapping).toEqual({ developer: 'Owner', name: 'Name', display_name: 'Title', products: 'Products' });
    const job = await run(draft);
    expect((await rowsOf(job)).map((row) => row.slice(0, 3))).toEqual([
      ['2', 'done', 201],
      ['3', 'done', 201],
      ['4', 'failed', 422],
    ]);
    const sql = 'SELECT name, display_name AS title FROM portal_apps WHERE user_id = ? ORDER BY id';
    expect(await test.portal.database.select(sql, [id])).toMatchObject([
      { name: 'imported', title: 'My app' },
      { name: 'second' },
    ]);
  });

  it('makes products', async () => {
    const file = 'slug,name,summary,tags,visibility\nimported-one,One,Short,a;b,public\nImported Two,Two,,,\n';
    const job = await run(await upload('products', file));
    expect((await rowsOf(job)).map((row) => row.slice(0, 3))).toEqual([
      ['2', 'done', 201],
      ['3', 'failed', 422],
    ]);
    const sql = "SELECT name, short_description AS summary FROM portal_products WHERE slug = 'imported-one'";
    expect(await test.portal.database.select(sql)).toEqual([{ name: 'One', summary: 'Short' }]);
  });

  it('counts a record as made that the process made with which it died, and no other', async () => {
    await createUser(test, { email: 'older@example.com' });
    test.clock.advance(10);
    const draft = await upload('users', 'email,first_name,last_name\nours@example.com,A,A\nolder@example.com,B,B\n');
    await imports().start(draft.job.uuid, draft.mapping, caller);
    const died = new Promise<never>(() => undefined);
    let reached = () => undefined as void;
    const isReached = new Promise<void>((resolve) => (reached = resolve));
    watch.after = (operation) => {
      if (operation !== 'createUser') return;
      reached();
      return died;
    };
    void test.portal.services.console.worker.run();
    await isReached;
    watch = {};
    test.clock.advance(61);
    // As if it had begun with the second line too.
    const begun = "UPDATE portal_bulk_rows SET state = 'running', started_at = ? WHERE job_id = ? AND record_key = '3'";
    await test.portal.database.execute(begun, [test.clock.now(), draft.job.id]);
    await test.portal.jobs.run('bulk');
    const job = await test.portal.services.console.jobs.find(draft.job.uuid, caller.actor.id);
    expect((await rowsOf(job)).map((row) => row.slice(0, 3))).toEqual([
      ['2', 'done', 201],
      ['3', 'failed', 422],
    ]);
    const sql = "SELECT id FROM portal_users WHERE email = 'ours@example.com'";
    expect(await test.portal.database.select(sql)).toHaveLength(1);
  });
});
