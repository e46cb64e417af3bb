import { definePage, View, type Page } from '../../theme/index.js';
import { recordPattern } from '../console-resource.js';
import { labelOf, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt, textOf, valueAt, type AdminResource } from '../resource.js';
import { showRecord } from './record-page.js';

/** An activity with before and after side by side, and links to other activities of its people and records. */
export function activityPages(context: ConsoleContext): Page[] {
  if (!context.registry.has('activities')) return [];
  const activities = context.registry.find('activities');
  return [
    definePage({
      ...{ method: 'get', path: recordPattern(activities), audience: 'admins', needs: ['getActivity'] },
      handle: (visit) => showActivity(context, activities, visit),
    }),
  ];
}

async function showActivity(context: ConsoleContext, activities: AdminResource, visit: AdminVisit): Promise<View> {
  const { template, values, options } = await showRecord(context, activities, visit);
  const { record } = values;
  const changes = Object.entries((valueAt(record, 'changes') ?? {}) as Readonly<Record<string, unknown>>);
  const heading = await labelOf(context, 'event', textAt(record, 'action'), visit.locale);
  return new View(
    template,
    {
      ...{ ...values, title: heading },
      changes: changes.map(([field, pair]) => ({ field, ...sidesOf(pair) })),
      actorFilter: nameOf(record, 'actor'),
      subjectFilter: nameOf(record, 'subject'),
    },
    { ...options, heading },
  );
}

function sidesOf(pair: unknown) {
  const [before, after] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : [null, pair];
  return { before: showValue(before), after: showValue(after) };
}

function showValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : textOf(value);
}

/** `admin:7`, as the filters of the list take it; null for nobody in particular. */
function nameOf(record: unknown, part: 'actor' | 'subject'): string | null {
  const [type, id] = [textAt(record, `${part}.type`), textAt(record, `${part}.id`)];
  return type === '' || id === '' ? null : `${type}:${id}`;
}
