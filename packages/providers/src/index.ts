export { type CredentialBlocks, type CredentialChoice, chooseCredential } from './catalogue/choose-credential.ts'
export type { Capabilities, Catalogue, CatalogueFault, ModuleEntry, ProviderEntry, Support } from './catalogue/entry.ts'
export { inputIssues, missingInputs } from './catalogue/inputs.ts'
export { loadCatalogue } from './catalogue/load-catalogue.ts'
export type { Authentication, HealthCheck, MetadataInput } from './catalogue/provider-file.ts'
export type {
  ConnectionContext,
  Connector,
  Credential,
  FieldMetadata,
  ObjectMetadata,
  ProviderHttp,
  ProviderHttpRequest,
  ProviderHttpResponse,
  ProviderRecord,
  ReadPage,
  ReadPageRequest,
  ValueType,
} from './connector.ts'
export { checkHealth } from './interpreter/check-health.ts'
export { createConnector } from './interpreter/create-connector.ts'
export {
  type InputIssue,
  InvalidInputs,
  NoConnector,
  ProviderError,
  type ProviderErrorClass,
  providerErrorClasses,
} from './provider-error.ts'
