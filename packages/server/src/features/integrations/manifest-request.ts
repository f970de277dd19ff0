import type { CatalogueEntry } from '@mortise/manifest'
import type { ManifestOptions } from '../../services.ts'

/** What the thread is started with. */
export interface ManifestWorkerData {
  providers: CatalogueEntry[]
}

/** One manifest to validate. */
export interface ManifestRequest extends ManifestOptions {
  source: string
}
