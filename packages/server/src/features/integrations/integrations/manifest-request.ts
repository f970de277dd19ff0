import type { CatalogueEntry } from '@mortise/manifest'
import type { ManifestOptions } from '../../../services.ts'

/** What the thread is started with. */
export interface ManifestWorkerData {
  providers: CatalogueEntry[]
  /** Names of providers whose files have errors. */
  broken: string[]
}

/** One manifest to validate. */
export interface ManifestRequest extends ManifestOptions {
  source: string
}
