import { definePage, field, Redirect, View, viewCookie, type FormState, type Page } from '../../theme/index.js';
import { adminCall, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt } from '../resource.js';
import { readRecord } from './record-page.js';

const RESOURCE = 'users';
const NEEDS = ['getUser', 'viewAsUser'];

/** Asks why an admin wants to view the portal as a developer, and begins the view in this browser. */
export function viewAsPages(context: ConsoleContext): readonly Page[] {
  const resource = context.registry.find(RESOURCE);
  const show = async (visit: AdminVisit, state?: FormState) => {
    const { record } = await readRecord(context, resource, visit);
    const { errors = {}, problem = null, retryAfter = null, status = 200 } = state ?? {};
    const title = textAt(record, resource.title);
    const { minutes, tellsDevelopers: tells } = visit.services.console.developerViews;
    const values = {
      ...{ resource, title, errors, problem, retryAfter, minutes, tells },
      others: Object.entries(errors).flatMap(([name, sentences]) => (name === 'reason' ? [] : sentences)),
      back: `/${RESOURCE}/${visit.params.id ?? ''}`,
      reason: field(visit.request, 'reason'),
    };
    return new View('console/view-as', values, { status, title: 'console.action.view-as' });
  };
  const page = { path: `/${RESOURCE}/:id/view-as`, audience: 'admins', needs: NEEDS } as const;
  return [
    definePage({ ...page, method: 'get', handle: (visit) => show(visit) }),
    definePage({ ...page, method: 'post', handle: (visit) => begin(context, visit), retry: show }),
  ];
}

/** By its operation, whose token becomes the cookie of the view; leads to where the developer begins. */
async function begin({ operations }: ConsoleContext, visit: AdminVisit): Promise<Redirect> {
  const { id = '' } = visit.params;
  const body = { reason: field(visit.request, 'reason').trim() };
  const { data } = await operations.run('viewAsUser', adminCall(visit, { params: { id }, body }));
  const { token } = data as { readonly token: string };
  const portal = visit.services.site.about.links.theme ?? '';
  return new Redirect(`${portal}/dashboard`, undefined, { external: true, cookies: [viewCookie(token, portal)] });
}
