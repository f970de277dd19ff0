import type { CatalogueEntry, MissingParams, MissingScopes } from '@mortise/manifest'

/** What the thread is started with. */
export interface ManifestWorkerData {
  providers: CatalogueEntry[]
  /** Names of providers whose files have errors. */
  broken: string[]
}

/** How a manifest is validated. */
export interface ManifestOptions {
  /** Names of the destinations of the project. */
  destinations: Iterable<string>
  /** OAuth scopes that the provider apps of the project lack. */
  missingScopes?: MissingScopes
  /** Settings that the provider apps of the project lack. */
  missingParams?: MissingParams
  /** Rules of level `strict` become errors. */
  strict: boolean
  /** Least interval of read schedules. */
  readIntervalMinMs: number
}

/** One manifest to validate. */
export interface ManifestRequest extends ManifestOptions {
  source: string
}
