import type { Logger } from '../telemetry/index.ts'

/** Input of a running job. */
export interface JobRun<D> {
  /** Id of the job; the same when it runs again. */
  id: string
  data: D
  /** Aborts when the job expires, its lease was lost, or the process stops. Every wait must observe it. */
  signal: AbortSignal
  log: Logger
  /**
   * Yields the slot of a job that only waits, if all slots are taken. The job continues without a slot, must not start
   * new work, and must end as soon as it can. Returns whether it yielded; at most a few times `concurrency` jobs may.
   */
  giveWay: () => boolean
}

export interface JobDeclaration<D, S> {
  /** Name of the queue, as `feature.verb`. */
  name: string
  /**
   * `one-per-key`: of one key, at most one job is queued and one runs, and the queued one starts after the running one
   * has ended. Nodes that fetch at the same moment may violate this: fence or lease what must not be done twice.
   * `standard`: no limit.
   */
  policy: 'one-per-key' | 'standard'
  /** Number of concurrent runs in one process. */
  concurrency: number
  /**
   * Least time between two fetches, for many small jobs that may wait that long: each fetch takes several of them.
   * Otherwise every job that ends causes a fetch, which takes longer than such a job.
   */
  fetchEveryMs?: number
  /** Time after which one run expires. */
  expireInSeconds: number
  /**
   * Time without a heartbeat after which another worker takes a run over; at least 10. When absent, only after it
   * expires.
   */
  heartbeatSeconds?: number
  /** Retries after an error that is not permanent. */
  retryLimit: number
  /** First back-off, doubled each time, with jitter. */
  retryDelaySeconds: number
  /** Must be idempotent: it can run twice. Returns on success, throws on failure. */
  run: (run: JobRun<D>, services: S) => Promise<void>
}

/** A declared job with the type of its data, which callers need to enqueue it. */
export interface Job<D extends object, S> {
  declaration: JobDeclaration<D, S>
}

/** Name and data type of a job: enough to enqueue it without importing its code. */
export interface JobReference<D extends object> {
  declaration: { name: string; data?: D }
}

/** Declares the name and data of a job, for modules that enqueue it. The name is stored with waiting jobs. */
export function jobReference<D extends object>(name: string): JobReference<D> {
  return { declaration: { name } }
}

/**
 * Declares the code of a job: the only way to add one.
 *
 * @param reference from the feature's `job-references.ts`, so that modules that enqueue the job do not import this one
 */
export function job<D extends object, S>(
  reference: JobReference<D>,
  declaration: Omit<JobDeclaration<D, S>, 'name'>,
): Job<D, S> {
  return { declaration: { name: reference.declaration.name, ...declaration } }
}

/** Thrown by a job that may succeed later: it is retried after the back-off. */
export class Transient extends Error {
  override name = 'Transient'
}

/** Thrown by a job that can never succeed: it is not retried. */
export class Permanent extends Error {
  override name = 'Permanent'
}
