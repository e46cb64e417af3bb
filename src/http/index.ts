export { type AnsweredRequest, type TrafficObserver } from './traffic.js';
export { createApplication, type ApplicationParts } from './application.js';
export type { Endpoint, EndpointRequest } from './endpoint.js';
export { etagOf } from './answer/conditional.js';
export { Operations, type OperationCall, type OperationResult } from './operations.js';
export { ReadinessProbe, type Readiness, type ReadinessCheck } from './health.js';
export { readCookies, setCookie, type PlainCookie } from './cookies.js';
export { HostNotAllowedError, MethodNotAllowedError } from './errors.js';
export {
  PageResponse,
  type FileRequest as AskedFile,
  type FileRule,
  type SentForm,
  type PageRequest,
  type PageSurface,
} from './page-surface.js';
export type { Pipeline, PipelineSettings, RouteGuards } from './pipeline.js';
export { csvHeaders } from './answer/csv-headers.js';
export { isHeld, readKnownTags } from './answer/conditional.js';
export { accepted, created, ok, paginated, RawReply, Reply, shared, SharedReply, StreamReply } from './answer/reply.js';
export { OWN_ACCOUNT } from '../core/index.js';
export {
  routeDefiner,
  routePath,
  selectServedRoutes,
  type Actor,
  type ErrorStatus,
  type Route,
  type RouteAuth,
  type RouteContext,
  type RouteInput,
  type UploadDeclaration,
} from './route.js';
export { startServer, type RunningServer } from './server.js';
export { maskPath } from './request/shown-path.js';
export type { Upload } from './request/upload.js';
