import { createConnector, loadCatalogue, NoConnector, type ProviderHttp } from '@mortise/providers'
import { sampleValues } from '../../packages/providers/src/conformance/sample-connection.ts'
import { sampleCredentials } from '../../packages/providers/src/conformance/sample-credentials.ts'

/**
 * Prints what the whole catalog takes in memory: every provider in use at the same time, with a connector for each of
 * its modules. Run with `--expose-gc`, and the folder of a warm cache.
 */

const http: ProviderHttp = () => Promise.reject(new Error('no request is expected'))

/** Bytes that stay after a collection: values of JavaScript, and buffers outside its heap. */
function usedBytes(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const before = usedBytes()
const catalogue = await loadCatalogue({ cacheDir: process.argv[2] ?? '' })
const entries = catalogue.list()
const listed = usedBytes()
const connectors = entries.flatMap((entry) => {
  const [sample] = sampleCredentials(entry)
  if (sample === undefined) return []
  return [...(entry.file?.sets ?? [])].flatMap(([module]) => {
    try {
      return createConnector(entry, { metadata: sampleValues(entry), credential: sample.credential, module }, http)
    } catch (error) {
      // Such a provider is connected and proxied: it has no objects.
      if (error instanceof NoConnector) return []
      throw error
    }
  })
})
const whole = usedBytes()
console.log(
  JSON.stringify({
    providers: entries.length,
    connectors: connectors.length,
    listedBytes: listed - before,
    wholeBytes: whole - before,
  }),
)
