import { definePage, field, Redirect, type Page } from '../../theme/index.js';
import { adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import type { AdminResource } from '../resource.js';

/** A saved view as the admin API shows it. */
interface ShownView {
  readonly id: number;
  readonly resource: string;
  readonly name: string;
  readonly query: string;
  readonly pinned: boolean;
  readonly is_default: boolean;
  readonly role_id: number | null;
  readonly own: boolean;
}

/** Shows a list as it is, whatever its default view. */
export const NO_VIEW = 'none';

/** The views of a list that the admin may open, for the bar above it. */
export async function readViews({ operations }: ConsoleContext, visit: AdminVisit, resource?: AdminResource) {
  const query = resource ? { resource: resource.name } : {};
  const { data } = await operations.run('listViews', adminCall(visit, { query }));
  return data as readonly ShownView[];
}

/** Forms that save, pin, make the default and delete views of lists. */
export function viewPages(context: ConsoleContext): Page[] {
  const { operations, registry } = context;
  const post = (path: string, operation: string, handle: (visit: AdminVisit) => Promise<Redirect>) =>
    definePage({ method: 'post', path, audience: 'admins', needs: [operation], handle });
  const redirectBack = (visit: AdminVisit, query = '') => {
    const name = field(visit.request, 'resource');
    return new Redirect(`/${registry.has(name) ? name : ''}${query === '' ? '' : `?${query}`}`, 'saved');
  };
  return [
    post('/views', 'createView', async (visit) => {
      const query = field(visit.request, 'query').replace(/^\?/, '');
      const role = field(visit.request, 'role_id');
      const body = {
        ...{ resource: field(visit.request, 'resource'), name: field(visit.request, 'name'), query },
        ...{ pinned: field(visit.request, 'pinned') !== '', is_default: field(visit.request, 'is_default') !== '' },
        ...(/^\d{1,15}$/.test(role) && { role_id: Number(role) }),
      };
      await operations.run('createView', adminCall(visit, { body }));
      return redirectBack(visit, query);
    }),
    post('/views/:id', 'updateView', async (visit) => {
      const isSent = (name: string) => field(visit.request, name) !== '';
      const body = {
        ...(isSent('name') && { name: field(visit.request, 'name') }),
        ...(isSent('pinned') && { pinned: field(visit.request, 'pinned') === 'true' }),
        ...(isSent('is_default') && { is_default: field(visit.request, 'is_default') === 'true' }),
      };
      await operations.run('updateView', adminCall(visit, { params: { id: visit.params.id ?? '' }, body }));
      return redirectBack(visit);
    }),
    post('/views/:id/delete', 'deleteView', async (visit) => {
      await operations.run('deleteView', adminCall(visit, { params: { id: visit.params.id ?? '' } }));
      return redirectBack(visit);
    }),
  ];
}
