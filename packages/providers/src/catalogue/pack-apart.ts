import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Source } from './read-sources.ts'

/** What a thread compiles: sources, those that complete them, and the key of the result. */
export interface PackRequest {
  sources: readonly Source[]
  beneath: readonly Source[]
  key: string
}

/**
 * Compiles and packs a catalogue in a thread that ends afterwards: parsing the YAML of all providers leaves 100 MB
 * behind that the process of a service would hold for as long as it runs.
 */
export async function packApart(request: PackRequest): Promise<Buffer> {
  const isSource = import.meta.url.endsWith('.ts')
  const worker = new Worker(new URL(isSource ? './pack-thread.ts' : './pack-thread.js', import.meta.url), {
    workerData: request,
    // The thread finds the other packages as this process was told to, whatever started it.
    execArgv: isSource ? ['--conditions=mortise-source'] : [],
  })
  const [bytes] = (await once(worker, 'message')) as [Uint8Array]
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
