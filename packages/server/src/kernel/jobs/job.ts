import type { Logger } from '../telemetry/index.ts'

/** What a running job gets. */
export interface JobRun<D> {
  /** Id of the job; the same when it runs again. */
  id: string
  data: D
  /** Ends when the job expires, its lease was lost, or the process stops. Every wait honours it. */
  signal: AbortSignal
  log: Logger
  /**
   * For a job that only waits: gives its place to another, if all are taken, and goes on beside them. It then takes on
   * nothing new and ends as soon as it can. Answers whether the place was given; no more than a few times `concurrency`
   * stand aside.
   */
  giveWay: () => boolean
}

export interface JobDeclaration<D, S> {
  /** Name of the queue, as `feature.verb`. */
  name: string
  /**
   * `one-per-key`: of one key, at most one queued and one running, the queued one not started while the other runs. Not
   * strict between nodes that fetch at the same moment: what must not be done twice is fenced or leased. `standard`: no
   * limit.
   */
  policy: 'one-per-key' | 'standard'
  /** How many run at once in one process. */
  concurrency: number
  /** The hard end of one run. */
  expireInSeconds: number
  /** A run whose process died is taken over after this; at least 10. Absent: only after it expires. */
  heartbeatSeconds?: number
  /** Retries after an error that is not permanent. */
  retryLimit: number
  /** First back-off, doubled each time, with jitter. */
  retryDelaySeconds: number
  /** Must be idempotent: it can run twice. Returns for success, throws for failure. */
  run: (run: JobRun<D>, services: S) => Promise<void>
}

/** A declared job whose data type is known to whoever enqueues it. */
export interface Job<D extends object, S> {
  declaration: JobDeclaration<D, S>
}

/** What it takes to enqueue a job: a module can do so without importing what the job runs. */
export interface JobReference<D extends object> {
  declaration: { name: string; data?: D }
}

/** Names a job and its data, for whoever enqueues it. The name is stored with waiting jobs. */
export function jobReference<D extends object>(name: string): JobReference<D> {
  return { declaration: { name } }
}

/**
 * Declares what a job runs: the only way to add one.
 *
 * @param reference from the feature's `job-references.ts`, so that whoever enqueues the job does not import this
 */
export function job<D extends object, S>(
  reference: JobReference<D>,
  declaration: Omit<JobDeclaration<D, S>, 'name'>,
): Job<D, S> {
  return { declaration: { name: reference.declaration.name, ...declaration } }
}

/** Thrown by a job that may succeed later: it is tried again after the back-off. */
export class Transient extends Error {
  override name = 'Transient'
}

/** Thrown by a job that can never succeed: it is not tried again. */
export class Permanent extends Error {
  override name = 'Permanent'
}
