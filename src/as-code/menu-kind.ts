import { idOfAnswer, presentOf, withoutEmpty, type Doc, type Kind } from './kind.js';
import type { AdminPort } from './port.js';
import { isSameField } from './simple-kinds.js';

/** An item as the API shows it. */
interface Shown extends Doc {
  readonly id: number;
  readonly children: readonly Shown[];
}

/** Menus with their trees; an item has no name of its own, so items are compared place by place. */
export const menuKind: Kind = {
  ...{ name: 'menus', key: 'slug', fields: ['name', 'items'], operation: 'createMenu' },
  list: async (port) => {
    const shown = await port.all('listMenus', { with: 'items' });
    return shown.map((menu) => presentOf(menuKind, menu, { name: menu.name, items: shape(menu.items as Shown[]) }));
  },
  isSame: (_port, field, wanted, present) =>
    Promise.resolve(isSameField(field, field === 'items' ? (wanted as Doc[]).map(normal) : wanted, present)),
  create: async (port, key, { items = [], ...doc }) => {
    const menu = idOfAnswer(await port.call('createMenu', { body: { slug: key, ...doc } }));
    await reconcile(port, menu, { parent: null, wanted: items as Doc[], present: [] });
    return menu;
  },
  update: async (port, { id, etag, shown }, { items, ...changes }) => {
    if (Object.keys(changes).length > 0)
      await port.call('updateMenu', { params: { menu: id }, body: changes, ifMatch: etag });
    if (items === undefined) return;
    await reconcile(port, id, { parent: null, wanted: items as Doc[], present: (shown.items ?? []) as Shown[] });
  },
  remove: async (port, { id, etag }) => void (await port.call('deleteMenu', { params: { menu: id }, ifMatch: etag })),
};

function shape(items: readonly Shown[] = []): readonly Doc[] {
  return items.map(({ label, url, route, visibility, translations, children }) => {
    const isForAll = visibility === 'everyone';
    const facts = { label, url, route, visibility: isForAll ? null : visibility, translations };
    return withoutEmpty({ ...facts, children: shape(children) });
  });
}

/** The form that {@link shape} gives, of an item that somebody wrote. */
function normal({ children, visibility, ...item }: Doc): Doc {
  const isForAll = visibility === 'everyone';
  return withoutEmpty({
    ...item,
    visibility: isForAll ? null : visibility,
    children: ((children ?? []) as Doc[]).map(normal),
  });
}

interface Level {
  readonly parent: number | null;
  readonly wanted: readonly Doc[];
  readonly present: readonly Shown[];
}

async function reconcile(port: AdminPort, menu: number, { parent, wanted, present }: Level): Promise<void> {
  for (const [place, { children = [], ...item }] of wanted.entries()) {
    const known = present[place];
    const body = { url: null, route: null, visibility: 'everyone', translations: {}, ...item };
    const level = { wanted: children as Doc[], present: known?.children ?? [] };
    if (!known) {
      const made = await port.call('createMenuItem', { params: { menu }, body: { ...body, parent_id: parent } });
      await reconcile(port, menu, { ...level, parent: idOfAnswer(made) });
      continue;
    }
    if (!isSameItem(item, known)) await port.call('updateMenuItem', { params: { menu, item: known.id }, body });
    await reconcile(port, menu, { ...level, parent: known.id });
  }
  for (const { id } of present.slice(wanted.length).reverse())
    await port.call('deleteMenuItem', { params: { menu, item: id } });
}

function isSameItem(item: Doc, known: Shown): boolean {
  const { children: _below, ...own } = shape([known])[0] ?? {};
  return JSON.stringify(sortKeys(normal(item))) === JSON.stringify(sortKeys(own));
}

const sortKeys = (doc: Doc) => Object.entries(doc).sort(([a], [b]) => (a < b ? -1 : 1));
