import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Source } from './read-sources.ts'

/** What a thread compiles: sources, those that complete them, and the key of the result. */
export interface PackRequest {
  sources: readonly Source[]
  beneath: readonly Source[]
  key: string
}

/** Time in milliseconds that a thread waits for more files of a user, who saves an edited file many times. */
const idleMs = 60_000
let idle: { worker: Worker; timer: NodeJS.Timeout } | undefined

/**
 * Compiles and packs a catalog in a worker thread: parsing the YAML of all providers leaves 100 MB behind, which the
 * process of a service would keep for as long as it runs.
 *
 * The thread ends after the built-in files. After files of a user it waits for more: loading the parser and the format
 * takes 0.7 s, compiling one file 2 ms.
 */
export async function packApart(request: PackRequest): Promise<Buffer> {
  const worker = takeIdle() ?? startThread()
  worker.ref()
  worker.postMessage(request)
  const [bytes] = (await once(worker, 'message')) as [Uint8Array]
  if (request.beneath.length === 0 || idle !== undefined) void worker.terminate()
  else keepIdle(worker)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function startThread(): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const worker = new Worker(new URL(isSource ? './pack-thread.ts' : './pack-thread.js', import.meta.url), {
    // The thread resolves the other packages with the options of this process.
    execArgv: isSource ? ['--conditions=mortise-source'] : [],
  })
  const forget = () => {
    if (idle?.worker === worker) idle = undefined
  }
  return worker.once('error', forget).once('exit', forget)
}

function takeIdle(): Worker | undefined {
  const taken = idle
  idle = undefined
  clearTimeout(taken?.timer)
  return taken?.worker
}

/** Keeps a thread for a while. It does not keep the process running. */
function keepIdle(worker: Worker): void {
  worker.unref()
  const timer = setTimeout(() => {
    if (idle?.worker === worker) idle = undefined
    void worker.terminate()
  }, idleMs).unref()
  idle = { worker, timer }
}
