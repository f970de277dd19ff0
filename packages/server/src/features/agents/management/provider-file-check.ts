import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CatalogueFault } from '@mortise/providers/check'

/** The files of the release take a second of an idle core, with each check. */
const timeLimitMs = 20_000
const heapMb = 256
/** Checks at the same time. */
const checksMax = 2

let running = 0

/**
 * Returns every fault of a provider file. A separate thread checks it, because anybody may have written the text: one
 * that costs too much ends the thread, never the service.
 */
export async function checkProviderFile(file: {
  path: string
  text: string
}): Promise<CatalogueFault[] | 'busy' | 'too costly'> {
  if (running >= checksMax) return 'busy'
  running++
  try {
    return await checkInThread(file)
  } finally {
    running--
  }
}

async function checkInThread(file: { path: string; text: string }): Promise<CatalogueFault[] | 'too costly'> {
  const isSource = import.meta.url.endsWith('.ts')
  const name = isSource ? './provider-file-worker.ts' : './provider-file-worker.js'
  const worker = new Worker(new URL(name, import.meta.url), {
    workerData: file,
    // The thread resolves workspace packages under the same condition as this process.
    execArgv: isSource ? ['--conditions=mortise-source'] : [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
  })
  try {
    const [faults] = (await once(worker, 'message', { signal: AbortSignal.timeout(timeLimitMs) })) as [CatalogueFault[]]
    return faults
  } catch (error) {
    const { name: kind, code } = error as { name: string; code?: string }
    if (kind === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY') return 'too costly'
    throw error
  } finally {
    await worker.terminate()
  }
}
