export { addressValues, changedAddressValues } from './catalogue/address-values.ts'
export { canAttach } from './catalogue/can-attach.ts'
export {
  type ChosenCredential,
  type CredentialBlocks,
  type CredentialChoice,
  chooseCredential,
} from './catalogue/choose-credential.ts'
export type {
  Capabilities,
  Catalogue,
  CatalogueFault,
  ModuleEntry,
  ProviderEntry,
  RateLimit,
  SubscribeRequirements,
  Support,
} from './catalogue/entry.ts'
export { comparedOn, type Evidence, evidenceOf, testedOn } from './catalogue/evidence.ts'
export type { AppParam } from './catalogue/format/app-param.ts'
export type { Authentication } from './catalogue/format/authentication.ts'
export type { MetadataInput } from './catalogue/format/metadata-input.ts'
export type { HealthCheck } from './catalogue/format/request.ts'
export type { EventStream } from './catalogue/format/stream.ts'
export type { CertifiedVerification } from './catalogue/format/webhook-verification.ts'
export { asksForSecret, keySource } from './catalogue/format/webhook-verification.ts'
export type { EventSource, Webhooks } from './catalogue/format/webhooks.ts'
export { inputIssues, isOptionalInput, missingInputs } from './catalogue/inputs.ts'
export { type LiveCatalogue, openLiveCatalogue } from './catalogue/live-catalogue.ts'
export { loadCatalogue } from './catalogue/load-catalogue.ts'
export {
  lackingScopes,
  type NeededScopes,
  type ObjectScopes,
  type ScopeAction,
  type ScopeRules,
  scopeActions,
  scopeRulesOf,
  scopesOfObject,
  wordsOfNeeds,
} from './catalogue/object-scopes.ts'
export { providerFileSchema } from './catalogue/provider-schema.ts'
export { schemeName, schemeNames, withScheme } from './catalogue/scheme-names.ts'
export { requestUrls } from './catalogue/url-templates.ts'
export { type ValueForm, valueFault } from './catalogue/value-fault.ts'
export type {
  Attachment,
  BatchRecordResult,
  BatchWriteItem,
  BatchWriteRequest,
  BatchWriteResult,
  ConnectionContext,
  Connector,
  Credential,
  FieldDefinition,
  FieldFilter,
  FieldMetadata,
  FieldUpsert,
  LiveCredential,
  ObjectMetadata,
  ProviderHttp,
  ProviderHttpRequest,
  ProviderHttpResponse,
  ProviderRecord,
  ReadPage,
  ReadPageRequest,
  SearchRequest,
  UnsentField,
  ValueType,
  WriteJob,
  WriteRefusal,
  WriteRequest,
  WriteResult,
  WriteType,
} from './connector.ts'
export { definableTypes } from './connector.ts'
export { CustomAuthRefused, CustomAuthUnavailable } from './custom/custom-auth-refused.ts'
export { type CustomInputIssue, customInputIssues } from './custom/custom-input-issues.ts'
export { carriedAppInputs, customScheme, isCustomComplete } from './custom/custom-scheme.ts'
export { type CustomSources, declaredInputs } from './custom/custom-variables.ts'
export { type MintedToken, mintToken } from './custom/mint-token.ts'
export { firstStep, runSteps, type StepOutcome, type StepProgress } from './custom/run-steps.ts'
export { type ProviderErrorClass, providerErrorClasses } from './error-classes.ts'
export { type AppValues, missingAppParams, withAppValues } from './interpreter/app-values.ts'
export { attachCredential, attachedHeaders } from './interpreter/auth.ts'
export { capturedText } from './interpreter/captured-text.ts'
export { checkHealth } from './interpreter/check-health.ts'
export { type AskedRead, type ChosenRequest, chooseRequest } from './interpreter/choose-request.ts'
export { clientUrl, hostsOf, hostVariable, isAllowedHost } from './interpreter/client-url.ts'
export { type ConnectionValues, fillTemplate, providerUrl, readPath } from './interpreter/connection-values.ts'
export { CostBudget } from './interpreter/cost-budget.ts'
export { compileTailReport, type TailReportReader } from './interpreter/cost-limit.ts'
export {
  canFilterReads,
  createConnector,
  declaredTypes,
  fieldsOfObject,
  jobToAbort,
  objectLabel,
  reportsDeletionsOf,
} from './interpreter/create-connector.ts'
export { askedWaitMs, refusesCredential } from './interpreter/errors.ts'
export { fetchPostAuthentication, type ProviderValues } from './interpreter/fetch-post-authentication.ts'
export { isHostPattern } from './interpreter/host-pattern.ts'
export { isOfQuery } from './interpreter/page-token.ts'
export { pathNames } from './interpreter/path.ts'
export { Pattern } from './interpreter/pattern.ts'
export { proxyBase } from './interpreter/proxy-base.ts'
export { type OpenedStream, openStream, type StreamHeaders } from './interpreter/streams/open-stream.ts'
export { readStreamEvent, type StreamEvent } from './interpreter/streams/read-stream-event.ts'
export { topicOf } from './interpreter/streams/topic-of.ts'
export { sendableUrl } from './interpreter/url-length.ts'
export { type EventKind, eventNamesOf, linkedRecords } from './interpreter/webhooks/event-names.ts'
export {
  appValuesIn,
  confirmationUrl,
  type HandshakeReply,
  handshakeReply,
  handshakeSecret,
  handshakeTokens,
  hasUnsignedHandshake,
  sendsHandshakeSecret,
} from './interpreter/webhooks/handshakes.ts'
export { type InboundRequest, parseBody, type Verdict } from './interpreter/webhooks/inbound-request.ts'
export { type LifecycleKind, lifecycleOf } from './interpreter/webhooks/lifecycle.ts'
export {
  openSubscriber,
  planRegistrations,
  type Registered,
  type RegistrationPlan,
  type RegistrationRequest,
  type Subscriber,
} from './interpreter/webhooks/open-subscriber.ts'
export {
  embeddedRecords,
  type ProviderEvent,
  parseEvents,
  recordIn,
} from './interpreter/webhooks/parse-events.ts'
export { removeSecret } from './interpreter/webhooks/remove-secret.ts'
export {
  type CertifiedKey,
  certificateUrl,
  certifiedKey,
  isCertified,
} from './interpreter/webhooks/signing-certificate.ts'
export { nonceOf, verifyingKeys, verifyRequest } from './interpreter/webhooks/verify-request.ts'
export { allWebhooks, eventSourceOf, streamOf, webhooksOf } from './interpreter/webhooks/webhooks-of.ts'
export { AuthorizationNotDiscovered } from './mcp/authorization-error.ts'
export {
  type ClientAuthenticationMethod,
  type DiscoveredAuthorization,
  type DiscoveryNetwork,
  discoverAuthorization,
} from './mcp/discover-authorization.ts'
export { mcpServerUrl } from './mcp/mcp-server-url.ts'
export type { ProviderTool } from './mcp/provider-tool.ts'
export { clientMetadata, type RegisteredClient, registerClient } from './mcp/register-client.ts'
export { type KnownServer, type McpServerClient, useMcpServer } from './mcp/use-mcp-server.ts'
export {
  AppIncomplete,
  FieldsNotSearchable,
  HostNotAllowed,
  type InputIssue,
  InvalidInputs,
  NoConnector,
  OnlyInBackground,
  ProviderError,
} from './provider-error.ts'
export type { TriedFinding } from './provider-test/finding.ts'
export { type TriedRequest, triedSteps } from './provider-test/recording-http.ts'
export { type TriedCheck, triedChecks } from './provider-test/try-check.ts'
export type { TriedObject } from './provider-test/try-object.ts'
export { type TriedProvider, type TryOptions, tryProvider } from './provider-test/try-provider.ts'
export { readKinds, type TriedRead } from './provider-test/try-reads.ts'
export type { TriedWrite } from './provider-test/try-writes.ts'
export { needsConsumer, type ToolValues, toolRequestFaults } from './tool-requests/compile-tool-request.ts'
export { sendToolRequest } from './tool-requests/send-tool-request.ts'
export { toolMethods } from './tool-requests/tool-request.ts'
export { withoutSecrets } from './without-secrets.ts'
