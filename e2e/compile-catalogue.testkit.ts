import { loadCatalogue } from '../packages/providers/src/index.ts'

/**
 * Compiles the provider files before all tests: each worker would do it otherwise, and it takes more than half of a
 * minute of their time.
 */
export default async function setup(): Promise<void> {
  await loadCatalogue({ cacheDir: process.env['MORTISE_CACHE_DIR'] ?? '' })
}
