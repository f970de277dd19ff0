import type { Catalogue } from '@mortise/providers'
import type { Config } from '../../../config.ts'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import {
  type EffectiveReadObject,
  effectiveReadObjects,
  findInstallation,
  lockInstallation,
  refreshHealth,
} from '../../integrations/installations/index.ts'
import { endOperation } from '../../platform/operations/index.ts'
import { abortJobsOf } from './abort-jobs.ts'
import { listBackfillStates } from './backfill-store.ts'
import { backfillRun, beginBackfills } from './begin-backfills.ts'
import { syncDeletionChecks } from './deletion-checks/sync-checks.ts'
import { endedReads, isTriggered } from './ended-reads.ts'
import type { ReadHooks } from './hooks.ts'
import { releasePages, releasePagesKey } from './job-references.ts'
import type { PauseReason } from './model.ts'
import { nextRun } from './next-run.ts'
import { listBufferedObjects } from './on-request/buffered-page-store.ts'
import { deleteRunsOf } from './run-store.ts'
import { deleteReadStates, listReadStates, type ReadState, type StateChange, upsertReadStates } from './state-store.ts'

export interface SyncServices {
  catalogue: Catalogue
  config: Pick<Config, 'scheduleSpreadMs'>
  hooks: ReadHooks & ConnectionHooks
  newId: NewId
  now: () => Date
  queue: JobQueue
}

/**
 * Syncs the read states of an installation with its effective config. New objects get a state, a schedule and their
 * backfill. Changed objects get their new times immediately. States of objects that are no longer read are deleted.
 * Runs inside the transaction of the change.
 */
export async function syncInstallation(
  tx: ProjectDb,
  { catalogue, queue, newId, now, hooks, config }: SyncServices,
  installationId: string,
): Promise<void> {
  await lockInstallation(tx, installationId)
  // Before what they follow: a pause that a deploy or a provider caused is seen together with its cause, or waits.
  const locked = await listReadStates(tx, installationId, { lock: true })
  const states = new Map(locked.map((state) => [state.objectName, state]))
  const installation = await findInstallation(tx, installationId)
  if (!installation) return
  const wanted = effectiveReadObjects(installation)
  const leftOut = new Set(installation.removedReadObjects.map(({ objectName }) => objectName))
  const refused = installation.row.status === 'bad_credentials'
  const spreadMs = config.scheduleSpreadMs
  const firstRun = (schedule: string) => nextRun(schedule, { after: now(), installationId, spreadMs })
  const changes = [...wanted.values()].map((object) => {
    const causes = { leftOut: leftOut.has(object.objectName), refused }
    return stateChange(object, states.get(object.objectName), causes, firstRun)
  })
  await upsertReadStates(
    tx,
    installationId,
    changes.filter((change) => isChange(change, states.get(change.objectName))),
  )

  const resumed = changes.filter(
    ({ objectName, paused }) => paused === null && hasAutomaticPause(states.get(objectName)),
  )
  if (resumed.length > 0)
    await hooks.readsResumed(tx, { installationId, objectNames: resumed.map(({ objectName }) => objectName) })

  await syncDeletionChecks(tx, installationId, wanted, states, firstRun)
  const unread = [...states.values()].filter(({ objectName }) => !wanted.has(objectName))
  // Objects that a destructive deploy paused keep their mark: when the object returns, its reads resume there.
  const removed = unread.filter(({ paused }) => paused !== 'removed').map(({ objectName }) => objectName)
  await deleteReadStates(tx, installationId, removed)
  const runs = await deleteRunsOf(
    tx,
    installationId,
    unread.map(({ objectName }) => objectName),
  )
  const result = 'The object is no longer read by this installation.'
  await abortJobsOf(tx, { queue, catalogue }, installation, runs)
  for (const { operationId } of runs) await endOperation(tx, operationId, { status: 'failure', result })
  await hooks.readsEnded(tx, endedReads(installationId, runs.filter(isTriggered), result))

  const backfillStates = await listBackfillStates(tx, installationId)
  const paused = new Set(changes.filter((change) => change.paused !== null).map(({ objectName }) => objectName))
  const backfills = [...wanted.values()]
    .filter(({ objectName }) => !paused.has(objectName))
    .filter(({ objectName }) => wantsBackfill(states.get(objectName), backfillStates.get(objectName)?.state))
    .flatMap((object) => backfillRun(object, backfillStates.get(object.objectName)?.resume, newId(), now()) ?? [])
  await beginBackfills(tx, installation, backfills)
  await releaseUnheld(tx, queue, installationId, wanted)
  await refreshHealth(tx, { installationId })
}

/** Whether a state was paused for a reason that ends automatically. The end of a config’s pause is a new config. */
function hasAutomaticPause(state: ReadState | undefined): boolean {
  return state?.paused === 'credentials' || state?.paused === 'removed'
}

/** Releases the buffered pages of objects that are no longer delivered on request or no longer read. */
async function releaseUnheld(
  tx: ProjectDb,
  queue: JobQueue,
  installationId: string,
  wanted: ReadonlyMap<string, EffectiveReadObject>,
): Promise<void> {
  const buffered = await listBufferedObjects(tx, installationId)
  const items = buffered
    .filter((objectName) => wanted.get(objectName)?.delivery.mode !== 'onRequest')
    .map((objectName) => ({ projectId: tx.projectId, installationId, objectName }))
  await queue.enqueueAll(
    tx,
    releasePages,
    items.map((data) => ({ data, key: releasePagesKey(data) })),
  )
}

/**
 * Whether to begin a backfill. It runs once: when the object first appears, or when its first pause ends. A backfill
 * that gave up after an error continues at each sync of the installation, so that unread records are not lost.
 */
export function wantsBackfill(
  state: Pick<ReadState, 'paused'> | undefined,
  backfill: 'done' | 'running' | 'unfinished' | undefined,
): boolean {
  if (backfill === undefined) return state === undefined || state.paused === 'config' || state.paused === 'credentials'
  return backfill === 'unfinished'
}

/**
 * Returns the new state of an object. A new schedule starts with `firstRun`. The reason of a pause decides when it
 * ends: `config` follows the config. `removed` lasts while the newest revision lacks the object. `credentials` lasts
 * while the provider refuses the credentials of the connection. Other pauses stay.
 */
export function stateChange(
  object: Pick<EffectiveReadObject, 'objectName' | 'schedule' | 'disabled'>,
  state: Pick<ReadState, 'schedule' | 'nextRunAt' | 'paused'> | undefined,
  { leftOut, refused }: { leftOut: boolean; refused: boolean },
  firstRun: (schedule: string) => Date,
): StateChange {
  const schedule = object.schedule ?? null
  const sameSchedule = state !== undefined && (state.schedule ?? null) === schedule
  const ended =
    state?.paused === 'config' ||
    (state?.paused === 'removed' && !leftOut) ||
    (state?.paused === 'credentials' && !refused)
  const kept: PauseReason | null = state?.paused === undefined || ended ? null : state.paused
  return {
    objectName: object.objectName,
    schedule,
    nextRunAt: schedule === null ? null : sameSchedule && state.nextRunAt ? state.nextRunAt : firstRun(schedule),
    paused: object.disabled ? 'config' : (kept ?? (refused ? 'credentials' : null)),
  }
}

function isChange(change: StateChange, state: ReadState | undefined): boolean {
  return (
    state === undefined ||
    (state.schedule ?? null) !== change.schedule ||
    (state.nextRunAt?.getTime() ?? null) !== (change.nextRunAt?.getTime() ?? null) ||
    (state.paused ?? null) !== change.paused
  )
}
