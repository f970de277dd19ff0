import { type IntegrationContent, diffContent, nextTick } from '@mortise/manifest'
import type { ProjectDb } from '../../kernel/db/index.ts'
import type { ConnectionStatus, Services } from '../../services.ts'
import { type EffectiveReadObject, effectiveReadObjects, findInstallation } from '../installations/index.ts'
import { beginOperation, endOperation } from '../operations/index.ts'
import { resyncIntegration } from './jobs/resync-integration.ts'
import { runReads, runReadsKey } from './jobs/run-reads.ts'
import type { PauseReason } from './model.ts'
import {
  deleteReadStates,
  deleteRunsOf,
  insertBackfills,
  insertRuns,
  listReadStates,
  lockInstallation,
  type NewRun,
  type ReadState,
  type StateChange,
  upsertReadStates,
} from './store.ts'
import { pauseObjectsOfConnection, pauseObjectsOfIntegration } from './pause-store.ts'

/**
 * Brings the read states of an installation in line with its effective config: new objects get a state, a schedule and their
 * backfill, changed ones their new times at once, and what is no longer read goes. Runs inside the transaction of the change.
 */
export async function syncInstallation(
  tx: ProjectDb,
  { queue, newId, now }: Pick<Services, 'queue' | 'newId' | 'now'>,
  installationId: string,
): Promise<void> {
  await lockInstallation(tx, installationId)
  const installation = await findInstallation(tx, installationId)
  if (!installation) return
  const wanted = effectiveReadObjects(installation)
  const states = new Map((await listReadStates(tx, installationId)).map((state) => [state.objectName, state]))
  const changes = [...wanted.values()].map((object) => stateChange(object, states.get(object.objectName), now()))
  await upsertReadStates(tx, installationId, changes.filter((change) => isChange(change, states.get(change.objectName))))

  const gone = [...states.keys()].filter((name) => !wanted.has(name))
  await deleteReadStates(tx, installationId, gone)
  for (const operationId of await deleteRunsOf(tx, installationId, gone)) {
    await endOperation(tx, operationId, { status: 'failure', result: 'The object is no longer read by this installation.' })
  }

  const backfills = [...wanted.values()]
    .filter((object) => !states.has(object.objectName) && !object.disabled)
    .flatMap((object): NewRun[] => {
      const window = backfillWindow(object, now())
      return window ? [{ operationId: newId(), objectName: object.objectName, kind: 'backfill', ...window }] : []
    })
  for (const { operationId, objectName } of backfills) {
    await beginOperation(tx, {
      id: operationId,
      integrationId: installation.integrationId,
      installationId,
      configId: installation.configId,
      actionType: 'read',
      resource: objectName,
      metadata: { objects: [objectName] },
    })
  }
  await insertRuns(tx, installationId, backfills)
  await insertBackfills(tx, installationId, backfills)
  await queue.enqueueAll(
    tx,
    runReads,
    backfills.map(({ objectName }) => ({
      data: { projectId: tx.projectId, installationId, objectName },
      key: runReadsKey({ installationId, objectName }),
    })),
  )
}

/** From when a backfill reads (contract 6.1): whole days into the past, everything, or not at all. */
export function backfillWindow(object: Pick<EffectiveReadObject, 'backfill'>, now: Date): { since: Date | null; until: Date } | undefined {
  const period = object.backfill?.defaultPeriod
  if (period?.fullHistory === true) return { since: null, until: now }
  if (period?.days === undefined || period.days === 0) return undefined
  return { since: new Date(now.getTime() - period.days * 86_400_000), until: now }
}

/** What an object's state becomes: a new schedule counts from now; a pause by the config follows the config, other pauses stay. */
export function stateChange(object: EffectiveReadObject, state: ReadState | undefined, now: Date): StateChange {
  const schedule = object.schedule ?? null
  const sameSchedule = state !== undefined && (state.schedule ?? null) === schedule
  const kept: PauseReason | null = state?.paused === undefined || state.paused === 'config' || state.paused === 'removed' ? null : state.paused
  return {
    objectName: object.objectName,
    schedule,
    nextRunAt: schedule === null ? null : sameSchedule && state.nextRunAt ? state.nextRunAt : nextTick(schedule, now),
    paused: object.disabled ? 'config' : kept,
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

/**
 * After a deploy: a destructive one pauses what it left out, everywhere and at once; schedules of the installations follow in a job,
 * so that a deploy does not grow with their number.
 */
export async function syncAfterDeploy(
  tx: ProjectDb,
  { queue }: Pick<Services, 'queue'>,
  change: { integrationId: string; before: IntegrationContent | undefined; after: IntegrationContent; destructive: boolean },
): Promise<void> {
  if (!change.before) return
  const { read } = diffContent(change.before, change.after)
  if (change.destructive && read.removed.length > 0) await pauseObjectsOfIntegration(tx, change.integrationId, read.removed)
  if (read.added.length + read.changed.length + read.removed.length === 0) return
  await queue.enqueue(tx, resyncIntegration, { projectId: tx.projectId, integrationId: change.integrationId }, change.integrationId)
}

/** A connection whose credentials are refused is not asked again on a schedule; when they work again, reading goes on. */
export async function pauseForCredentials(
  tx: ProjectDb,
  change: { connectionId: string; from: ConnectionStatus; to: ConnectionStatus },
): Promise<void> {
  if (change.to === 'bad_credentials') await pauseObjectsOfConnection(tx, change.connectionId, true)
  else if (change.from === 'bad_credentials') await pauseObjectsOfConnection(tx, change.connectionId, false)
}
