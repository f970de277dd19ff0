export { requestTimeoutMs } from './arrival.ts'
export { type AuditedAs, type AuditLog, type AuditRecord, actorOfAuthor, auditedAs, auditedRef } from './audit.ts'
export { type AuditActor, type AuditNote, type AuditPart, actorKinds, serviceLog } from './audit-part.ts'
export { assertRole } from './authorize.ts'
export { bodyLimits } from './body-limits.ts'
export { acceptsEncoding, type BuiltAsset, type BuiltAssets, createBuiltAssets, sentAsset } from './built-assets.ts'
export { type CallApi, createCallApi } from './call-api.ts'
export {
  type ApiKeyCaller,
  type Authenticate,
  authorOf,
  type BuilderCaller,
  type Caller,
  type CallerAgent,
  type CallerProject,
  type CallerSession,
  type Confinement,
  type ConsumerCaller,
  type Credential,
  callerName,
  confinementOf,
  type FindRole,
  type FoundRole,
  fingerprintOf,
  type Identity,
  isFrontEnd,
  maySeeSecrets,
  mayUseIntegration,
  mayUseProvider,
  type RoleScope,
} from './caller.ts'
export { clientNetwork } from './client-network.ts'
export { readCookie, readSecretCookie, type SecretCookie, setSecretCookie } from './cookies.ts'
export { type Endpoint, endpoint, jsonReply, type Reply, reply } from './endpoint.ts'
export { entityTagOf, matchesTag } from './entity-tag.ts'
export {
  type EventStreamOptions,
  eventStream,
  eventStreamHeaders,
  eventStreamType,
  lastEventId,
  type ServerEvent,
} from './event-stream.ts'
export { headerAliases, headerOf } from './header-names.ts'
export { isHeaderText } from './header-text.ts'
export { Html, html, jsonBlock } from './html.ts'
export { htmlDocument, styleDirective } from './html-document.ts'
export { createIdempotency, type Idempotency } from './idempotency.ts'
export { deleteOldIdempotencyKeys } from './idempotency-store.ts'
export { type KeptSecret, keptSecretIssues } from './kept-secret.ts'
export { type Described, type EndpointExample, openapiDocument } from './openapi.ts'
export type { WebhookDeclaration } from './openapi-webhooks.ts'
export { isAtLeast, needsRole, type OrgRole, orgRoles } from './org-roles.ts'
export { type Page, type PageBounds, type PageInput, type PageOptions, PageQuery, pageOf } from './page.ts'
export { pageHeaders, plainPageHeaders } from './page-headers.ts'
export {
  type PassThrough,
  type PassThroughDeclaration,
  type PassThroughInput,
  passThrough,
} from './pass-through-declaration.ts'
export {
  type Access,
  isForFrontends,
  neededRole,
  type Principal,
  permissions,
  principals,
  type SessionAccess,
  type SessionPurpose,
  sessionPermissions,
  sessionPurposes,
  type Verdict,
} from './permissions.ts'
export { type Issue, Problem, type ProblemClass, type ProblemDeclaration, problem } from './problem.ts'
export type { ProblemSettings, SupportContacts } from './problem-document.ts'
export * from './problems.ts'
export { readFields, readForm } from './read-form.ts'
export { readJson } from './read-json.ts'
export { isSameOrigin } from './same-origin.ts'
export { audited, Empty, Enum, FreeForm, MapOf, named, Path, ProjectPath, Ref, secret, Timestamp } from './schema.ts'
export { serializerOf } from './schema-compilers.ts'
export { createHttpServer, type HttpServerOptions } from './server.ts'
export type { SharedPath } from './shared-path.ts'
export type { FollowCredentials } from './stream-leases.ts'
