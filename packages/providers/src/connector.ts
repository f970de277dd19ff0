/** One request to a provider, as the interpreter makes it: absolute URL on the declared host, credential attached. */
export interface ProviderHttpRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
}

export interface ProviderHttpResponse {
  status: number
  /** Names in lower case; several values of one name joined by `, `. */
  headers: Record<string, string>
  /** Decoded text, already size-limited. */
  body: string
}

/**
 * Sends one request. Injected by the server: address guard, timeouts, size limits and rate limits live there. It follows
 * no redirect. What it throws passes through the connector unchanged.
 */
export type ProviderHttp = (request: ProviderHttpRequest) => Promise<ProviderHttpResponse>

export type Credential =
  | { scheme: 'none' }
  | { scheme: 'apiKey'; apiKey: string }
  | { scheme: 'basic'; username: string; password: string }
  | { scheme: 'oauth2'; accessToken: string }
  /** Input values of custom authentication, by name; what is no plain value fills no template. */
  | { scheme: 'custom'; values: Record<string, unknown> }

/** Where a credential goes: headers and query parameters to add to every request on the declared origin. */
export interface Attachment {
  headers: Record<string, string>
  query: Record<string, string>
  /** Every spelling in which the credential could come back in an answer: never shown. */
  secrets: string[]
}

/** A credential that changes while it is in use: an access token that is renewed. */
export interface LiveCredential {
  /** What authenticates a request now; asked before each one. What it throws passes through the connector unchanged. */
  authenticate(options: { signal?: AbortSignal }): Promise<Attachment & { generation: number }>
  /**
   * The provider refused what was attached of this generation. Answers whether another one can be had: the request is then sent once
   * more.
   */
  refused(generation: number, options: { signal?: AbortSignal }): Promise<boolean>
}

export interface ConnectionContext {
  /** Module id; the provider's default module when absent. */
  module?: string
  /** Metadata inputs of the connection, by name. */
  metadata: Record<string, string>
  /** `providerWorkspaceRef`: fills `{{workspace}}` unless the metadata does. */
  workspaceRef?: string
  /** As it is, or one that is asked for what to send before each request. */
  credential: Credential | LiveCredential
}

export interface ReadPageRequest {
  object: string
  /** Provider field names (`$['a']['b']` for nested ones), or everything. */
  fields: 'all' | readonly string[]
  /** Records changed at or after this instant. */
  since?: Date
  /** Records changed before or at this instant; a fixed end keeps the pages of one window stable. */
  until?: Date
  /** `nextPage` of the page before. All other parts of the request must be the same as then. */
  page?: string
  /** Records per request to the provider, at most its maximum, which is also the default. */
  pageSize?: number
  signal?: AbortSignal
}

export interface ProviderRecord {
  id?: string
  /** Requested fields under lower-cased names (contract 5.1), custom fields lifted out of their containers. */
  fields: Record<string, unknown>
  /** The record as the provider sent it, children merged in where they were asked for. */
  raw: Record<string, unknown>
}

export interface ReadPage {
  records: ProviderRecord[]
  /** Opaque; absent on the last page. A page may be empty and still have a next one. */
  nextPage: string | undefined
  /** All records of this read, where the provider says so. */
  total?: number
}

export const valueTypes = [
  'string',
  'boolean',
  'singleSelect',
  'multiSelect',
  'date',
  'datetime',
  'int',
  'float',
  'reference',
  'other',
] as const

export type ValueType = (typeof valueTypes)[number]

/** contract 3.12. */
export interface FieldMetadata {
  fieldName: string
  displayName: string
  valueType?: ValueType
  /** The provider's own word for the type. */
  providerType?: string
  readOnly?: boolean
  isCustom?: boolean
  isRequired?: boolean
  /** Objects that the value may point at. */
  referenceTo?: string[]
  /** The values to choose from, for selects. */
  values?: { value: string; displayValue: string }[]
}

/** contract 3.12. */
export interface ObjectMetadata {
  name: string
  displayName?: string
  fields: Record<string, FieldMetadata>
}

/** Reads from one connection of one provider. Holds the credential; keep it no longer than the work at hand. */
export interface Connector {
  /** One page of records. @throws ProviderError */
  readPage(request: ReadPageRequest): Promise<ReadPage>
  /** What fields the object has, asked from the provider where its file says how. @throws ProviderError */
  describeObject(object: string, options?: { signal?: AbortSignal }): Promise<ObjectMetadata>
  hasObject(object: string): boolean
  /** Names of all declared objects; objects that only match a pattern (custom objects) are not among them. */
  objects(): string[]
  /** Asks the provider whether the credential is good; `undefined` where there is no such question. @throws ProviderError */
  checkHealth(signal?: AbortSignal): Promise<void> | undefined
}
