import { PreconditionFailedError, ValidationError } from '../../core/index.js';
import { etagOf, type PageRequest } from '../../http/index.js';
import {
  brandContrast,
  definePage,
  field,
  listField,
  Redirect,
  View,
  type FormState,
  type Page,
} from '../../theme/index.js';
import { adminCall, readAll, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { problemsOf } from '../form-view.js';
import { textAt, textOf, type ApiRecord } from '../resource.js';

const MOST_SETTINGS = 500;
const BRAND_COLOUR = 'theme.brand_color';
const LOGO = 'theme.logo_url';
/** Ids of the settings that the form shows. */
const SHOWN = '_setting';
const LOGO_FILE = 'logo';
const NO_FILE = 'Please choose a file.';

/** All settings on one page: by group, each with the control of its type, those that were changed marked. */
export function settingPages(context: ConsoleContext): Page[] {
  if (!context.registry.has('settings')) return [];
  const guard = { path: '/settings', audience: 'admins' } as const;
  return [
    definePage({ ...guard, method: 'get', needs: ['listSettings'], handle: (visit) => showSettings(context, visit) }),
    definePage({
      ...{ ...guard, method: 'post', needs: ['listSettings', 'updateSetting'] },
      handle: (visit) => saveSettings(context, visit),
    }),
    definePage({
      ...{ method: 'post', path: '/settings/:id/reset', audience: 'admins', needs: ['deleteSetting'] },
      handle: (visit) => resetSetting(context, visit),
    }),
    ...logoPages(context),
  ];
}

/** The logo as a file; its address is a setting among the others. */
function logoPages(context: ConsoleContext): Page[] {
  const { operations } = context;
  const guard = { method: 'post', audience: 'admins' } as const;
  return [
    definePage({
      ...{ ...guard, path: '/settings/logo', needs: ['listSettings', 'setLogo'] },
      file: { field: LOGO_FILE, maxBytes: ({ catalog }) => catalog.limits.maxImageBytes },
      handle: async (visit) => {
        const { file } = visit.request;
        if (!file) throw new ValidationError({ [LOGO_FILE]: [NO_FILE] });
        await operations.run('setLogo', adminCall(visit, { upload: { kind: 'file', bytes: file } }));
        return new Redirect('/settings', 'saved');
      },
      retry: (visit, state) => showSettings(context, visit, { state }),
    }),
    definePage({
      ...{ ...guard, path: '/settings/logo/delete', needs: ['deleteLogo'] },
      handle: async (visit) => {
        await operations.run('deleteLogo', adminCall(visit));
        return new Redirect('/settings', 'saved');
      },
    }),
  ];
}

async function resetSetting(context: ConsoleContext, visit: AdminVisit): Promise<Redirect> {
  const ifMatch = field(visit.request, '_version') || undefined;
  await context.operations.run('deleteSetting', adminCall(visit, { params: visit.params, ifMatch }));
  return new Redirect('/settings', 'saved');
}

/** Why settings were not saved, by id. */
type Faults = Map<string, readonly string[]>;

async function saveSettings(context: ConsoleContext, visit: AdminVisit): Promise<Redirect | View> {
  const faults: Faults = new Map();
  const ids = new Set(listField(visit.request, SHOWN));
  for (const setting of await readSettings(context, visit)) {
    const id = textAt(setting, 'id');
    const sent = ids.has(id) ? readSetting(setting, visit.request) : null;
    if (sent === null) continue;
    const ifMatch = field(visit.request, `version.${id}`) || undefined;
    try {
      await context.operations.run(
        'updateSetting',
        adminCall(visit, { params: { id }, body: { value: sent.value }, ifMatch }),
      );
    } catch (error) {
      if (error instanceof ValidationError) faults.set(id, Object.values(error.errors).flat());
      else if (error instanceof PreconditionFailedError) faults.set(id, [CHANGED]);
      else throw error;
    }
  }
  return faults.size === 0 ? new Redirect('/settings', 'saved') : showSettings(context, visit, { faults });
}

const CHANGED = 'Somebody else has changed this meanwhile. Look at the present value, and save again.';

function readSettings(context: ConsoleContext, visit: AdminVisit) {
  const query = { order_by: 'key', direction: 'ASC' };
  return readAll(context, visit, 'listSettings', { most: MOST_SETTINGS, query });
}

interface Wrong {
  /** Of the settings that could not be saved; what was typed stays where they are. */
  readonly faults?: Faults;
  /** Of another form of the page. */
  readonly state?: FormState;
}

async function showSettings(context: ConsoleContext, visit: AdminVisit, { faults, state }: Wrong = {}): Promise<View> {
  const { operations } = context;
  const settings = await readSettings(context, visit);
  const q = (visit.request.query.get('q')?.at(-1) ?? '').trim().slice(0, 200);
  const rows = settings.filter((setting) => isFound(setting, q)).map((setting) => rowOf(setting, visit, faults));
  const groups = new Map<string, typeof rows>();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  const colour = rows.find(({ key }) => key === BRAND_COLOUR);
  return new View(
    'console/settings',
    {
      ...{ q, hasFaults: faults !== undefined },
      groups: [...groups].map(([group, members]) => ({ group, rows: members })),
      canCreate: await operations.may('createSetting', visit.actor),
      mayChange: await operations.may('updateSetting', visit.actor),
      mayReset: await operations.may('deleteSetting', visit.actor),
      ...problemsOf([], state),
      contrast: colour ? brandContrast(textOf(colour.value) || textOf(colour.default)) : null,
      scripts: ['console-contrast.js'],
    },
    { title: 'console.resource.settings', status: state?.status ?? (faults ? 422 : 200) },
  );
}

function isFound(setting: ApiRecord, q: string): boolean {
  const texts = ['key', 'label', 'group', 'description'].map((name) => textAt(setting, name).toLowerCase());
  return texts.some((text) => text.includes(q.toLowerCase()));
}

function rowOf(setting: ApiRecord, visit: AdminVisit, faults: Faults | undefined) {
  const id = textAt(setting, 'id');
  const errors = faults?.get(id) ?? [];
  const typed: Sent | null = errors.length > 0 ? readSetting(setting, visit.request) : null;
  const { value, type } = setting;
  const key = textAt(setting, 'key');
  const isKnown = setting.description !== null;
  return {
    ...{ id, key, type, errors, isKnown },
    label: textAt(setting, 'label') || key,
    group: textAt(setting, 'group'),
    description: setting.description,
    default: setting.default,
    control: key === BRAND_COLOUR ? 'colour' : key === LOGO ? 'picture' : type,
    value: typed ? typed.text : controlOf(setting),
    // What somebody else has stored meanwhile.
    present: typed ? controlOf(setting) : null,
    isOn: value === true,
    isSet: value !== null,
    isChanged: isKnown && value !== null,
    version: etagOf(setting),
  };
}

function controlOf({ value, type, default: fallback, key }: ApiRecord): string {
  if (type === 'secret') return '';
  if (key === BRAND_COLOUR && value === null) return textOf(fallback);
  if (value === null) return '';
  return type === 'json' ? JSON.stringify(value, null, 2) : textOf(value);
}

/** A value as it was sent: read by its type, and as it was typed. */
interface Sent {
  readonly value: unknown;
  readonly text: string;
}

/** The new value of a setting; null when the form leaves it as it is. What cannot be read is sent as it was typed. */
function readSetting(setting: ApiRecord, request: PageRequest): Sent | null {
  const { value, type, default: fallback } = setting;
  const text = field(request, `value.${textAt(setting, 'id')}`);
  if (type === 'boolean') {
    const isOn = text === 'true';
    return isOn === (value === true) ? null : { value: isOn, text };
  }
  if (text === '') return value === null || type === 'secret' ? null : { value: null, text };
  if (value === null && text === fallback) return null;
  const read = valueOf(text, type);
  return JSON.stringify(read) === JSON.stringify(value) ? null : { value: read, text };
}

function valueOf(text: string, type: unknown): unknown {
  if (type === 'integer' || type === 'float') return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (type !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
