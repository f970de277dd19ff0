import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CatalogueEntry, ModuleEntry, ValidateResult } from '@mortise/manifest'
import type { CatalogueFault } from '@mortise/providers'
import { providerOfFault } from '../catalogue/index.ts'
import type { ManifestOptions, ManifestRequest, ManifestWorkerData } from './manifest-request.ts'
import { DeployQueueFull, ManifestTooCostly } from './problems.ts'

/** Validates manifests in a separate thread, one at a time. */
export interface ManifestValidator {
  /** @throws ManifestTooCostly, DeployQueueFull */
  (source: string, options: ManifestOptions): Promise<ValidateResult>
  /** Ends the thread. A validation in progress fails. */
  close(): Promise<void>
}

export interface ManifestValidatorOptions {
  /** Validation uses only these properties of each entry. */
  catalogue: {
    readonly version?: object
    readonly faults?: readonly CatalogueFault[]
    list(): readonly CatalogueEntry[]
  }
  /**
   * Time limit for one manifest. Default 3,000 ms: the largest manifest that the format allows (125,000 words and
   * signs) takes 0.4 s on an idle core, and twice that on a busy one.
   */
  timeLimitMs?: number
  /**
   * Memory limit for one manifest, in MB. Default 96: with 64, the largest manifest spends half of its time in garbage
   * collection.
   */
  heapMb?: number
}

const waitingMax = 64

/**
 * Creates the validator. The first manifest starts the thread, which then stays. After a thread runs out of time or
 * memory, the next manifest starts another.
 */
export function createManifestValidator(options: ManifestValidatorOptions): ManifestValidator {
  const { timeLimitMs = 3_000, heapMb = 96 } = options
  const { catalogue } = options
  let version = catalogue.version
  let worker: Promise<Worker> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const retire = async (): Promise<void> => {
    const retired = worker
    worker = undefined
    await (await retired)?.terminate()
  }

  /**
   * Returns the thread. Validates one manifest at a time, so that no validation runs in a thread that is replaced after
   * a change of the catalog.
   */
  const running = async (): Promise<Worker> => {
    if (version !== catalogue.version) await retire()
    if (worker) return worker
    version = catalogue.version
    const data: ManifestWorkerData = {
      providers: catalogue.list().map(factsOf),
      broken: (catalogue.faults ?? []).map(providerOfFault),
    }
    const started = startWorker(data, heapMb, () => {
      // The thread ended unexpectedly: the next manifest starts another.
      if (worker === started) worker = undefined
    })
    worker = started
    return started
  }

  const ask = async (request: ManifestRequest): Promise<ValidateResult> => {
    try {
      return await answerOf(await running(), request, timeLimitMs)
    } catch (error) {
      // A thread that failed to start has already emitted `error`.
      await retire().catch(() => undefined)
      throw error
    }
  }

  const validate = async (source: string, { destinations, ...others }: ManifestOptions) => {
    if (waiting >= waitingMax) throw new DeployQueueFull()
    waiting++
    const queued = last.then(() => ask({ ...others, source, destinations: [...destinations] }))
    last = queued.catch(() => undefined)
    try {
      return await queued
    } finally {
      waiting--
    }
  }
  return Object.assign(validate, { close: retire })
}

async function startWorker(data: ManifestWorkerData, heapMb: number, onExit: () => void): Promise<Worker> {
  const isSource = import.meta.url.endsWith('.ts')
  const worker = new Worker(new URL(isSource ? './manifest-worker.ts' : './manifest-worker.js', import.meta.url), {
    workerData: data,
    // The thread resolves workspace packages under the same condition as this process.
    execArgv: isSource ? ['--conditions=mortise-source'] : [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
  })
  await once(worker, 'message')
  // `answerOf` reports errors to its caller. Without these handlers an error would end the process.
  worker.on('error', onExit).on('exit', onExit)
  return worker
}

function answerOf(worker: Worker, request: ManifestRequest, timeLimitMs: number): Promise<ValidateResult> {
  return new Promise((resolve, reject) => {
    // If this thread was blocked, the result may already be in its queue and takes precedence.
    const timer = setTimeout(() => setImmediate(() => settle(() => reject(tooCostly('time')))), timeLimitMs)
    const settle = (end: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      end()
    }
    const onMessage = (result: ValidateResult) => settle(() => resolve(result))
    const onError = (error: Error) => settle(() => reject(isOutOfMemory(error) ? tooCostly('memory', error) : error))
    const onExit = () => settle(() => reject(new Error('The thread that reads manifests has ended.')))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(request)
  })
}

function tooCostly(what: 'time' | 'memory', cause?: unknown): Error {
  const detail = `Reading the manifest takes more ${what} than a manifest may.`
  return new ManifestTooCostly({
    detail,
    issues: [{ in: 'body', name: '$', detail, context: { rule: 'manifest-cost', line: 0, column: 0 } }],
    ...(cause !== undefined && { cause }),
  })
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

/** Returns plain data: an entry of the catalog contains values that cannot be cloned to a thread. */
function factsOf({
  name,
  authType,
  implemented,
  undescribed,
  modules,
  defaultModule,
  objects,
  onlyWritten,
  reportsDeletions,
  signalsChanges,
  needsNoApp,
  mcp,
}: CatalogueEntry): CatalogueEntry {
  return {
    name,
    authType,
    ...supportOf({ implemented, ...(undescribed && { undescribed }) }),
    modules: Object.fromEntries(Object.entries(modules).map(([key, module]) => [key, supportOf(module)])),
    ...(defaultModule !== undefined && { defaultModule }),
    ...(objects && { objects: [...objects] }),
    ...(onlyWritten && { onlyWritten: [...onlyWritten] }),
    ...(reportsDeletions && { reportsDeletions: [...reportsDeletions] }),
    ...(signalsChanges && { signalsChanges: [...signalsChanges] }),
    ...(needsNoApp && { needsNoApp }),
    ...(mcp && { mcp: {} }),
  }
}

function supportOf({ implemented, undescribed }: ModuleEntry): ModuleEntry {
  const { read, write, subscribe, proxy } = implemented
  return { implemented: { read, write, subscribe, proxy }, ...(undescribed && { undescribed: [...undescribed] }) }
}
