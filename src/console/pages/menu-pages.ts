import { NotFoundError } from '../../core/index.js';
import { definePage, field, Redirect, View, type FormState, type Page } from '../../theme/index.js';
import { recordPath } from '../console-resource.js';
import { adminCall, visitedParams, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import type { Action, AdminResource } from '../resource.js';
import { recordPattern } from '../console-resource.js';
import { readRecord, showRecord } from './record-page.js';

interface MenuItem {
  readonly id: number;
  readonly parent_id: number | null;
  readonly position: number;
  readonly label: string;
  readonly route: string | null;
  readonly url: string | null;
  readonly visibility: string;
  readonly children: readonly MenuItem[];
}

/** Where an item goes: one up or down among its neighbours, below the one above it, or out to the level above. */
const MOVES = ['up', 'down', 'in', 'out'] as const;
type Move = (typeof MOVES)[number];
/** The action that makes an item. */
const ADD = 'add-item';

interface Place {
  readonly parent_id: number | null;
  readonly position: number;
}

/** A line of the tree. */
interface TreeLine {
  readonly item: MenuItem;
  /** From 1. */
  readonly level: number;
  readonly places: Readonly<Partial<Record<Move, Place>>>;
}

/** A menu as a tree whose items are moved by buttons. */
export function menuPages(context: ConsoleContext): Page[] {
  if (!context.registry.has('menus')) return [];
  const menus = context.registry.find('menus');
  const show = async (visit: AdminVisit, state?: FormState) => showTree(context, menus, visit, state);
  return [
    definePage({
      ...{ method: 'get', path: recordPattern(menus), audience: 'admins', needs: ['showMenu'] },
      handle: (visit) => show(visit),
    }),
    definePage({
      ...{ method: 'post', path: `${recordPattern(menus)}/items/:item/move`, audience: 'admins' },
      needs: ['showMenu', 'updateMenuItem'],
      handle: (visit) => moveItem(context, menus, visit),
      retry: show,
    }),
  ];
}

async function showTree(context: ConsoleContext, menus: AdminResource, visit: AdminVisit, state?: FormState) {
  const { template, values, options } = await showRecord(context, menus, visit, state);
  const { record, actions } = values as { record: { items: readonly MenuItem[] }; actions: readonly Action[] };
  const lines = linesOf(record.items);
  const tree = lines.map(({ item, level, places }) => ({
    ...{ item, level, target: item.route ?? item.url },
    moves: MOVES.map((move) => ({ move, isPossible: places[move] !== undefined })),
  }));
  // At the top of the page; the other ones are beside the tree.
  const beside = actions.filter(({ name }) => name !== ADD);
  const canAdd = beside.length < actions.length;
  return new View(template, { ...values, tree, total: lines.length, actions: beside, canAdd }, options);
}

async function moveItem(context: ConsoleContext, menus: AdminResource, visit: AdminVisit): Promise<Redirect> {
  const { record } = await readRecord(context, menus, visit);
  const { menu = '', item = '' } = visit.params;
  const line = linesOf(record.items as readonly MenuItem[]).find(({ item: { id } }) => String(id) === item);
  if (!line) throw new NotFoundError();
  const body = line.places[field(visit.request, 'to') as Move];
  // Another admin was faster: it is at the edge already.
  if (body) await context.operations.run('updateMenuItem', adminCall(visit, { params: { menu, item }, body }));
  return new Redirect(`${recordPath(menus, visitedParams(menus, visit))}#item-${item}`);
}

function linesOf(items: readonly MenuItem[], level = 1, parent: MenuItem | null = null, around?: Place): TreeLine[] {
  return items.flatMap((item, index) => {
    const above = items[index - 1];
    const at = (position: number): Place => ({ parent_id: parent?.id ?? null, position });
    const places = {
      ...(index > 0 && { up: at(index - 1) }),
      ...(index < items.length - 1 && { down: at(index + 1) }),
      ...(above && { in: { parent_id: above.id, position: above.children.length } }),
      ...(around && { out: around }),
    };
    return [{ item, level, places }, ...linesOf(item.children, level + 1, item, at(index + 1))];
  });
}
