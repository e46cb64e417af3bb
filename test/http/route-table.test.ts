import { RouteTable } from '../../src/http/route-table.js';

const table = new RouteTable<string>();
table.add('get', '/apps', 'list');
table.add('post', '/apps', 'create');
table.add('get', '/apps/create', 'form');
table.add('get', '/apps/:name', 'show');
table.add('delete', '/apps/:name', 'remove');
table.add('get', '/apps/:app/keys/:key', 'key');
table.add('get', '/', 'root');

const found = (method: string, path: string) => {
  const finding = table.find(method, path);
  return finding.kind === 'found' ? [finding.target, finding.params] : finding;
};

describe('the table of routes', () => {
  it.each([
    ['GET', '/apps', ['list', {}]],
    ['HEAD', '/apps', ['list', {}]],
    ['GET', '/apps/', ['list', {}]],
    ['POST', '/apps', ['create', {}]],
    ['GET', '/', ['root', {}]],
    ['GET', '/apps/one', ['show', { name: 'one' }]],
    ['GET', '/apps/a%2Fb%20c', ['show', { name: 'a/b c' }]],
    ['GET', '/apps/__proto__', ['show', { name: '__proto__' }]],
    ['GET', '/apps/one/keys/two', ['key', { app: 'one', key: 'two' }]],
  ])('finds %s %s', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected);
  });

  it('lets a word go before a parameter, but not where the word does not take the method', () => {
    expect(found('GET', '/apps/create')).toEqual(['form', {}]);
    expect(found('DELETE', '/apps/create')).toEqual(['remove', { name: 'create' }]);
  });

  it.each(['/Apps', '//apps', '/apps//', '/apps/one/', '/apps/one/keys', '/apps/one/keys//', '/nothing'])(
    'answers %j as Express would',
    (path) => {
      expect(table.find('GET', path).kind).toBe(path === '/apps/one/' ? 'found' : 'nothing');
    },
  );

  it('tells which methods a path takes, of all that could be meant', () => {
    expect(table.find('PUT', '/apps')).toEqual({ kind: 'other-method', methods: ['get', 'post'] });
    expect(table.find('PATCH', '/apps/create')).toEqual({ kind: 'other-method', methods: ['get', 'delete'] });
  });

  it('refuses a parameter that cannot be decoded, whatever the method', () => {
    expect(() => table.find('GET', '/apps/%zz')).toThrow(URIError);
    expect(() => table.find('PUT', '/apps/%zz')).toThrow(URIError);
  });

  it('takes one route for a method and shape', () => {
    expect([table.add('get', '/apps/:id', 'again'), table.add('put', '/apps/:id', 'other')]).toEqual([false, true]);
  });
});
