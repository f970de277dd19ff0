import { type Static, Type } from 'typebox'
import { backoffMs } from '../../../kernel/backoff.ts'
import { Enum, named, Timestamp } from '../../../kernel/http/index.ts'
import type { ProviderFailure } from '../../provider-calls/calls/index.ts'

/** What started a run; `readType` in messages. */
export type ReadKind = 'backfill' | 'scheduled' | 'triggered'

/**
 * Why an object is not read on its schedule. `request`: a `:pause`. `config`: `disabled` in the config. `failures`: too
 * many runs failed in a row. `credentials`: the provider refuses the connection. `removed`: a destructive deploy
 * removed the object.
 */
export type PauseReason = 'request' | 'config' | 'failures' | 'credentials' | 'removed'

/** A run that waits or is running: one row of `read_runs`. */
export interface ReadRun {
  operationId: string
  kind: ReadKind
  /** Records changed at or after this; everything when absent. */
  since: Date | undefined
  /** Records changed up to this; set when the run first starts, so that its pages stay one window. */
  until: Date | undefined
  /** Where to resume: the provider's token of the next page. */
  page: string | undefined
  pages: number
  records: number
  attempt: number
  firstErrorAt: Date | undefined
  /** How often its window began again. Pages that it commits do not reset this, unlike `attempt`. */
  restarts: number
  createTime: Date
  /** Id of the destination that a resend fills. Such a run is a backfill that leaves the mark where it is. */
  resendTo: string | undefined
}

/** Number of failed runs in a row after which an object is paused. */
export const failuresUntilPause = 10

/**
 * How often the window of a run begins again, whatever it commits in between. Each time, its records are delivered
 * again.
 */
export const restartsMax = 6

/** Overlap of windows, for records that were written before a run but become visible a moment later. */
export const settleMs = 2_000

/** Returns the result of a read that succeeded, for people. */
export function foundText(records: number): string {
  return records === 0 ? 'No new data found' : `${records} ${records === 1 ? 'record' : 'records'} read`
}

/** What to do after an error in the middle of a run. */
export type Consequence =
  | { kind: 'wait'; ms: number; why: 'permit' | 'rate-limit' | 'retry' }
  | { kind: 'restart' }
  | { kind: 'fail'; reason: string; credentials: boolean }

const backoff = { firstMs: 1_000, maxMs: 15 * 60_000 }
/** How long a run retries. A scheduled run gives up sooner, because the next one covers its window. */
const giveUpMs: Record<ReadKind, number> = {
  scheduled: 10 * 60_000,
  backfill: 24 * 3_600_000,
  triggered: 24 * 3_600_000,
}

/** Decides what to do after a failure (`failureTable`). `random` is in [0, 1). */
export function consequenceOf(
  { read, scope, sentence, retryAfterMs }: ProviderFailure,
  run: Pick<ReadRun, 'kind' | 'attempt' | 'firstErrorAt' | 'restarts'>,
  now: Date,
  random: number,
): Consequence {
  const failed: Consequence = { kind: 'fail', reason: sentence, credentials: scope === 'credential' }
  if (read === 'yield') return { kind: 'wait', ms: retryAfterMs ?? 0, why: 'permit' }
  if (read === 'reconnect' || read === 'fail') return failed
  if (read === 'restart') return run.restarts >= restartsMax ? failed : { kind: 'restart' }
  const askedMs = retryAfterMs === undefined ? undefined : Math.max(retryAfterMs, backoff.firstMs)
  if (read === 'wait' && askedMs !== undefined) return { kind: 'wait', ms: askedMs, why: 'rate-limit' }
  const since = run.firstErrorAt ?? now
  if (now.getTime() - since.getTime() >= giveUpMs[run.kind]) return failed
  return { kind: 'wait', ms: askedMs ?? backoffMs(backoff, run.attempt, random), why: 'retry' }
}

const DeletionCheck = Type.Object(
  {
    schedule: Type.String({ description: 'When they are looked for: cron in UTC, of the config or the manifest.' }),
    lastCheckTime: Type.Optional(
      Type.Unsafe<string | Date>({ ...Timestamp, description: 'When the last check that ended began.' }),
    ),
    lastCheckStatus: Type.Optional(Enum(['success', 'failure'], { description: 'How it ended.' })),
    error: Type.Optional(Type.String({ description: 'Why the last check failed. Absent if it succeeded.' })),
    operationId: Type.Optional(Type.String({ description: 'Operation of the check that is running.' })),
    nextCheckTime: Type.Optional(
      Type.Unsafe<string | Date>({
        ...Timestamp,
        description: 'When the next check starts, or the one that is running continues. A time in the past means now.',
      }),
    ),
  },
  { description: 'How deleted records that the provider does not report are looked for, if they are.' },
)

export const ReadSchedule = named(
  'ReadSchedule',
  Type.Object({
    objectName: Type.String({ description: 'The provider’s name of the object.' }),
    schedule: Type.Optional(
      Type.String({
        description:
          'When it is read: cron in UTC, of the config or the manifest. Absent if it is read when triggered.',
      }),
    ),
    offsetSeconds: Type.Number({
      description: 'How long after each time of the schedule this installation is read. It is the same for all reads.',
    }),
    lastRunTime: Type.Optional(
      Type.Unsafe<string | Date>({
        ...Timestamp,
        description: 'When its newest scheduled read started. Absent before the first one.',
      }),
    ),
    lastRunStatus: Type.Optional(
      Enum(['in_progress', 'success', 'failure'], { description: 'How that read ended, or that it has not.' }),
    ),
    nextRunTime: Type.Optional(
      Type.Unsafe<string | Date>({
        ...Timestamp,
        description: 'When it is read next. A time in the past means now. Absent while the object is paused.',
      }),
    ),
    pauseReason: Type.Optional(
      Enum(['request', 'config', 'failures', 'credentials', 'removed'], {
        description:
          'Why the object is paused: a `:pause`, its config, ten failures in a row, a credential that the provider refuses, or a destructive deploy.',
      }),
    ),
    deletions: Type.Optional(DeletionCheck),
    waitsFor: Type.Optional(
      Enum(['backfill', 'triggered', 'scheduled'], {
        description:
          'Kind of the read of this object that is running or waits. The next scheduled read starts after it.',
      }),
    ),
  }),
)
export type ReadSchedule = Static<typeof ReadSchedule>

export const BackfillProgress = named(
  'BackfillProgress',
  Type.Object({
    installationId: Type.String({ description: 'Installation id.' }),
    objectName: Type.String({ description: 'The provider’s name of the object.' }),
    operationId: Type.String({ description: 'Operation of the backfill.' }),
    recordsProcessed: Type.Integer({ description: 'Records read and committed so far.' }),
    recordsEstimatedTotal: Type.Optional(
      Type.Integer({ description: 'What the provider said at the start; only some do.' }),
    ),
    createTime: Type.Optional(Timestamp),
    updateTime: Type.Optional(Timestamp),
  }),
)

export const TriggerReadRequest = named(
  'TriggerReadRequest',
  Type.Object({
    groupRef: Type.String({ minLength: 1, description: 'The group whose installation is read.' }),
    mode: Enum(['async'], { description: 'Reads run in the background.' }),
    sinceTimestamp: Type.Optional(
      Type.String({ format: 'date-time', description: 'Records changed at or after this; everything when absent.' }),
    ),
    untilTimestamp: Type.Optional(Type.String({ format: 'date-time', description: 'Records changed up to this.' })),
    backfill: Type.Optional(
      Type.Boolean({
        description:
          'Runs the backfill of the object again: after the last committed page if it failed, otherwise from the beginning. Returns a backfill that is running. Takes no times.',
      }),
    ),
    deletions: Type.Optional(
      Type.Boolean({
        description:
          'Looks for deleted records that the provider does not report, instead of reading. Returns a check that is running. Needs `deletions.schedule`, and takes no times.',
      }),
    ),
  }),
)

export type TriggerReadRequest = Static<typeof TriggerReadRequest>

export const DeliverResultsRequest = named(
  'DeliverResultsRequest',
  Type.Object({
    groupRef: Type.String({ minLength: 1, description: 'The group whose pages to deliver.' }),
    pages: Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'How many more pages are wanted; a page is one message, of `pageSize` records at most.',
    }),
  }),
)

export const PauseRequest = named(
  'PauseReadsRequest',
  Type.Object({
    objects: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of objects, mapped or raw; all when absent.' }),
    ),
    note: Type.Optional(Type.String({ description: 'Message for people.' })),
  }),
)
