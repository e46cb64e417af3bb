export { adminResources } from './resources/index.js';
export { ConsoleLayout, consolePages } from './console.js';
export { ResourceRegistry, withAdditions } from './console-resource.js';
export type { ConsoleContext } from './console-visit.js';
export { WaitingCount } from './waiting-count.js';
export {
  defineAdminResource,
  extendAdminResource,
  type Action,
  type AdminResource,
  type ApiRecord,
  type CellKind,
  type FieldChoices,
  type RecordColumn,
  type FieldKind,
  type FieldOptions,
  type RecordParams,
  type Related,
  type ResourceExtension,
  type ResourceGroup,
} from './resource.js';
