export { adminResources } from './resources/index.js';
export { ConsoleLayout } from './console-layout.js';
export { ResourceRegistry } from './console-resource.js';
export { consolePages } from './create-console.js';
export type { ConsoleContext } from './console-visit.js';
export {
  defineAdminResource,
  type Action,
  type AdminResource,
  type ApiRecord,
  type CellKind,
  type Choices,
  type Column,
  type FieldKind,
  type FieldOptions,
  type RecordParams,
  type Related,
  type ResourceGroup,
} from './resource.js';
