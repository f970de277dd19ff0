import type { AgentConfirmation, AgentTool } from './agent-tool.ts'

/**
 * The manifest as it is after validation: keys in this spelling, unknown keys dropped, nothing defaulted.
 * A field that the author left out is absent, never `undefined` or `null`.
 */
export interface Manifest {
  /** Version of the manifest format, `1.x`. */
  specVersion: string
  /** At least one; names are unique. */
  integrations: IntegrationContent[]
}

/** One integration: what is read, written, proxied, subscribed and watched at one provider. */
export interface IntegrationContent {
  /** Unique in the manifest; 1 to 128 characters, no `/`, no control characters. */
  name: string
  /** Key of the provider in the catalog, case-sensitive. */
  provider: string
  displayName?: string
  /** Key of one of the provider's modules. */
  module?: string
  read?: ReadIntegration
  write?: WriteIntegration
  proxy?: ProxyIntegration
  subscribe?: SubscribeIntegration
  watchSchema?: WatchSchema
  /** What agents may do. Without it, they can do nothing. */
  agent?: AgentIntegration
}

export interface ReadIntegration {
  objects: ReadObject[]
}

/** An object that is read: first its past (`backfill`), then what changed since, on a schedule or when triggered. */
export interface ReadObject {
  /** The provider's name of the object. */
  objectName: string
  /** Name of the destination that records are delivered to. */
  destination: string
  /** Cron of five fields, in UTC. Without it, the object is read only by backfills and triggered reads. */
  schedule?: string
  /** Name of the object in messages, instead of `objectName`. */
  mapToName?: string
  mapToDisplayName?: string
  /** Fields that every installation reads. */
  requiredFields?: IntegrationField[]
  /** Fields that the user may choose. */
  optionalFields?: IntegrationField[]
  /** `all`: every field of the object may be chosen. */
  optionalFieldsAuto?: 'all'
  backfill?: Backfill
  deletions?: Deletions
  delivery?: Delivery
  /** `always`: read for every installation. Installed automatically if the user has no choices to make. */
  enabled?: 'always'
}

/**
 * A field that the builder names (`ExistentField`) or that the user maps (`MappingField`). `fieldName` distinguishes
 * them.
 */
export type IntegrationField = ExistentField | MappingField

export interface ExistentField {
  /** The provider's name, or a nested one in bracket form: `$['address']['city']` (RFC 9535). */
  fieldName: string
  /** Name of the field in messages. */
  mapToName?: string
  mapToDisplayName?: string
}

export interface MappingField {
  /** Name of the field in messages; the user chooses the provider's field. */
  mapToName: string
  mapToDisplayName?: string
  /** The provider's field that is offered first. */
  default?: string
  /** What the user sees when choosing. */
  prompt?: string
  fieldName?: never
}

export interface Backfill {
  defaultPeriod: BackfillPeriod
}

/** One of the two is present. */
export interface BackfillPeriod {
  /** Whole days into the past, 0 for none. */
  days?: number
  fullHistory?: boolean
}

/** Deleted records are delivered with `deleted: true`. One of the two at least. */
export interface Deletions {
  /** Those that the provider reports. */
  enabled?: 'always'
  /** When those that it does not report are looked for: cron in UTC. */
  schedule?: string
}

export interface Delivery {
  /** `auto` where absent. */
  mode?: 'auto' | 'onRequest'
  /** Records per message, 50 to 500. */
  pageSize?: number
}

export interface WriteIntegration {
  objects: WriteObject[]
}

export interface WriteObject {
  objectName: string
  /** True: the mapping of the read object of the same name is applied, reversed. */
  inheritMapping?: boolean
  valueDefaults?: ValueDefaults
}

export interface ValueDefaults {
  /** True: users may set a default for any field. */
  allowAnyFields?: boolean
}

export interface ProxyIntegration {
  enabled?: boolean
  /** True: paths are relative to the module's base URL, otherwise to the provider's. */
  useModule?: boolean
}

export interface SubscribeIntegration {
  objects: SubscribeObject[]
}

/** An object whose changes the provider tells; without any event it only gives defaults to installations. */
export interface SubscribeObject {
  objectName: string
  destination: string
  /** True: fields and mapping are those of the read object of the same name. */
  inheritFieldsAndMapping?: boolean
  createEvent?: SubscribeEvent
  updateEvent?: UpdateEvent
  deleteEvent?: SubscribeEvent
  associationChangeEvent?: AssociationChangeEvent
  /** The provider's own names of further events. */
  otherEvents?: string[]
}

export interface SubscribeEvent {
  enabled?: 'always'
}

export interface UpdateEvent extends SubscribeEvent {
  /** `all`: any field; `selected`: the fields that the user chose. */
  watchFieldsAuto?: 'all' | 'selected'
  requiredWatchFields?: string[]
}

export interface AssociationChangeEvent extends SubscribeEvent {
  includeFullRecords?: boolean
}

/** Notifies the builder when the provider's fields change. */
export interface WatchSchema {
  destination: string
  /** Cron of five fields, in UTC, at most hourly; `0 *\/24 * * *` where absent. */
  schedule?: string
  allObjects: WatchedChanges
}

export interface WatchedChanges {
  fieldCreated?: WatchedChange
  fieldDeleted?: WatchedChange
  fieldChanged?: WatchedChange
}

export interface WatchedChange {
  enabled: 'always'
}

/** The actions that agents can have with an object. */
export const agentActions = ['search', 'get', 'list', 'create', 'update', 'delete'] as const
export type AgentAction = (typeof agentActions)[number]
export type AgentWriteAction = Extract<AgentAction, 'create' | 'update' | 'delete'>

/** What agents may do in the accounts of groups, through tools. */
export interface AgentIntegration {
  /** None in an integration that only has other tools. */
  objects: AgentObject[]
  /** Tools that the builder declares. */
  tools?: AgentTool[]
  /** Tools of the provider's MCP server. */
  providerTools?: AgentProviderTool[]
  limits?: AgentLimits
  /** Hours until a request for approval expires; 24 where absent. */
  approvalHours?: number
  /** True: writes are checked, but not sent. */
  dryRun?: boolean
}

export interface AgentObject {
  objectName: string
  /** At least one. */
  actions: AgentAction[]
  /** What the object is, for agents. */
  description?: string
  /** Fields that agents can neither read nor write nor use as a condition. */
  hiddenFields?: string[]
  /** Fields whose values agents do not see. */
  maskedFields?: string[]
  /** Fields that agents do not write. */
  readOnlyFields?: string[]
  /** Conditions that apply to each call. */
  filters?: AgentFilter[]
  /** Actions whose calls somebody confirms. */
  confirm?: Partial<Record<AgentWriteAction, AgentConfirmation>>
  /** Overrides that of the integration. */
  dryRun?: boolean
}

/** A tool of the provider's MCP server that agents may call. */
export interface AgentProviderTool {
  /** As the server names it. */
  toolName: string
  /** Of the definition that the builder has read: agents have no other one. */
  digest: string
  /** For agents, in place of the provider's words. */
  description?: string
  /** True if the tool changes nothing at the provider. The server's own word for it is not used. */
  readOnly?: boolean
  arguments?: AgentToolArgument[]
  /** Fields of JSON results that agents do not get. */
  hiddenFields?: string[]
  /** Fields of JSON results whose values agents do not see. */
  maskedFields?: string[]
  /** Who confirms each call; nobody where absent. */
  confirm?: AgentConfirmation
  /** Overrides that of the integration. */
  dryRun?: boolean
}

/** A rule for an argument: one of `value`, `values` and `hidden`. */
export interface AgentToolArgument {
  argumentName: string
  /** Mortise sends this value, and agents cannot. May have `{{consumer}}` and `{{group}}`. */
  value?: string
  /** The values that agents may send. */
  values?: string[]
  /** True: agents cannot send the argument. */
  hidden?: boolean
}

export interface AgentFilter {
  fieldName: string
  /** May have `{{consumer}}` and `{{group}}`. */
  value: string
}

export interface AgentLimits {
  /** Calls of a group, 1 to 6,000; 60 where absent. */
  callsPerMinute?: number
  /** Records in a result, 1 to 100; 25 where absent. */
  recordsPerCall?: number
  /** Largest result, 2,000 to 200,000; 32,000 where absent. */
  resultBytes?: number
}
