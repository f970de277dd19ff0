import type { AppParam } from './format/app-param.ts'
import type { Authentication } from './format/authentication.ts'
import type { Connected } from './format/connected.ts'
import type { FurtherVariable, PostAuthentication } from './format/further-values.ts'
import type { McpServer } from './format/mcp-server.ts'
import type { MetadataInput } from './format/metadata-input.ts'
import type { ProviderFile, ProviderFileOutline, RateLimit } from './format/provider-file.ts'
import type { HealthCheck } from './format/request.ts'
import type { SubscribeRequirements, Undescribed } from './format/support.ts'
import type { ScopesOfModules } from './object-scopes.ts'

export type { RateLimit } from './format/provider-file.ts'
export type { SubscribeRequirements } from './format/support.ts'

/** What Mortise can do at a provider, or at one of its modules: computed from the file. */
export interface Capabilities {
  read: boolean
  write: boolean
  delete: boolean
  proxy: boolean
  subscribe: boolean
  search: boolean
}

/** What a provider, or one of its modules, can do, in detail. */
export interface Support {
  implemented: Capabilities
  /** Actions that the provider has and the file does not describe, so that they cannot be installed. */
  undescribed?: Undescribed
  /** Largest number of records in one request, for each operation that any object writes in batches. */
  batchWrite?: { create?: number; update?: number }
  /** Whether any object writes many records by a job. */
  bulkWrite?: { create: boolean; update: boolean }
  /** What can be subscribed to; absent where the file declares no webhooks. */
  subscribeSupport?: SubscribeSupport
}

/** Changes that can be subscribed to, of any object (contract 3.15). */
export interface SubscribeSupport {
  create: boolean
  update: boolean
  delete: boolean
  /** Other events, by the provider's names for them. */
  passThrough: boolean
}

/** Facts about a provider besides what it can do. */
export interface ProviderNotes {
  /** The provider must be queried for more after authentication. */
  postAuthInfoNeeded?: boolean
  subscribeRequirements?: SubscribeRequirements
  /** Metadata that comes from the provider after authentication. */
  postAuthentication?: readonly PostAuthentication[]
  /** Further variables of templates; the source of their values is unknown here. */
  variables?: readonly FurtherVariable[]
  /** What a provider app may carry besides its client id and secret. */
  appMetadata?: { authQueryParams: readonly MetadataInput[]; providerParams: readonly AppParam[] }
  /** Names of the settings of the provider app that requests use; absent where they use none. */
  appValues?: readonly string[]
  labels?: Record<string, string>
}

export interface ModuleEntry extends Support {
  displayName: string
  /** Base URL template of the proxy when it uses the module. */
  baseUrl: string
  subscribeRequirements?: SubscribeRequirements
}

/** One provider as the catalog knows it, by its file. */
export interface ProviderEntry extends ProviderNotes, Support {
  name: string
  displayName: string
  /** `none`, `apiKey`, `basic`, `oauth2`, `jwt` or `custom`: the scheme of the first declared authentication. */
  authType: string
  /** How a connection may authenticate, in order of preference. */
  authentication: readonly Authentication[]
  /** Base URL template. */
  baseUrl: string
  modules: Record<string, ModuleEntry>
  defaultModule?: string
  inputs: readonly MetadataInput[]
  healthCheck?: HealthCheck
  /** The provider's MCP server, if the file names one. */
  mcp?: McpServer
  /** Accounts are authorized without a provider app: the preferred scheme looks up its authorization server. */
  needsNoApp?: true
  /** Limits of the provider's requests, if it documents them. All of them apply. */
  rateLimits?: readonly RateLimit[]
  /** Names of all objects, where the list is known and closed. */
  objects?: readonly string[]
  /** Names of objects that can be written and not read; absent where there are none. */
  onlyWritten?: readonly string[]
  /** Names of objects whose deleted records the provider reports. `*` where objects that no list names may, too. */
  reportsDeletions?: readonly string[]
  /** Names of objects whose events say only that records changed, so that each makes a read. */
  signalsChanges?: readonly string[]
  /** OAuth scopes that objects need, as far as the file says. */
  objectScopes?: ScopesOfModules
  docsUrl?: string
  /** Another provider that describes objects of this API, where the file has none. */
  seeAlso?: NonNullable<ProviderFileOutline['seeAlso']>
  /** How sure an unchecked entry is: whether one source says it, or several. */
  confidence?: 'agreed' | 'single'
  /** When the file was last compared with the provider's documentation, and which parts of it. */
  documented?: NonNullable<ProviderFileOutline['documented']>
  /** When somebody tested the file with an account, and what of it worked. */
  connected?: Connected
  /** Where the entry comes from: a file of this package, or a user's file. */
  origin: 'builtIn' | 'user'
  /** How objects are read and responses are understood; created on first use. */
  file?: ProviderFile
}

/** A provider file that is not used, or not wholly, and why. The other providers are not affected. */
export interface CatalogueFault {
  /** Path of the file. */
  file: string
  /** Counted from 1. */
  line: number
  column: number
  /** Path inside the document, such as `objects.contacts.read.path`. */
  path: string
  message: string
}

export interface Catalogue {
  /** The entry of exactly this name (case-sensitive). */
  find(name: string): ProviderEntry | undefined
  /** A different object after every change: data derived from the catalog is stored under it. */
  readonly version: object
  /** All entries, sorted by name. */
  list(): ProviderEntry[]
  /** Provider files that could not be used. */
  readonly faults: readonly CatalogueFault[]
  /** The name that was probably meant. */
  suggest(name: string): string | undefined
}
