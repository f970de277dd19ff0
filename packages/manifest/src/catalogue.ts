/** What validation asks about providers. The caller owns the facts; validation does no I/O. */
export interface Catalogue {
  /** The entry of exactly this name (case-sensitive), `undefined` where there is none. */
  find(provider: string): CatalogueEntry | undefined
  /** The name that was probably meant, for "did you mean". */
  suggest?(provider: string): string | undefined
  /** Whether there is a provider file of this name that cannot be used because of its errors. */
  isBroken?(provider: string): boolean
}

export interface CatalogueEntry {
  name: string
  /** `none`, `apiKey`, `basic`, `oauth2`, `custom`, … */
  authType: string
  /** What this release can do at the root of the provider. */
  implemented: CapabilitySupport
  /** What the provider can do besides, without a connector in this release. */
  undescribed?: readonly (keyof CapabilitySupport)[]
  modules: Record<string, ModuleEntry>
  /** The module that is used where the manifest names none. */
  defaultModule?: string
  /** All object names, where the provider's list is known and closed. */
  objects?: readonly string[]
  /** Names of objects that can be written and not read. */
  onlyWritten?: readonly string[]
  /** Names of objects whose deleted records the provider reports. `*` where objects that no list names may, too. */
  reportsDeletions?: readonly string[]
  /** The caller has only its name: no rule says what it reports. */
  isAssumed?: boolean
  /** Names of objects whose events say only that records changed. */
  signalsChanges?: readonly string[]
  /** Accounts are authorized without a provider app. */
  needsNoApp?: boolean
  /** The MCP server that the provider file names. */
  mcp?: object
}

export interface ModuleEntry {
  implemented: CapabilitySupport
  undescribed?: readonly (keyof CapabilitySupport)[]
}

export interface CapabilitySupport {
  read: boolean
  write: boolean
  subscribe: boolean
  proxy: boolean
}
