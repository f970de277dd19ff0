import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { publishDue } from '../../../kernel/work/index.ts'
import {
  type EffectiveReadObject,
  type InstallationRecord,
  refreshHealth,
} from '../../integrations/installations/index.ts'
import { beginOperations } from '../../platform/operations/index.ts'
import { insertBackfills, listBackfillStates, type UnfinishedBackfill } from './backfill-store.ts'
import { insertRuns, type NewRun } from './run-store.ts'
import { storedRunsLoop } from './stored-runs-loop.ts'

const dayMs = 86_400_000

/** Limits the days that a manifest may request: a century. */
const backfillDaysMax = 36_525

/** Returns the window of a backfill (contract 6.1): whole days into the past, everything, or no backfill. */
export function backfillWindow(
  object: Pick<EffectiveReadObject, 'backfill'>,
  now: Date,
): { since: Date | null; until: Date } | undefined {
  const period = object.backfill?.defaultPeriod
  if (period?.fullHistory === true) return { since: null, until: now }
  if (period?.days === undefined || period.days === 0) return undefined
  const days = Math.min(period.days, backfillDaysMax)
  return { since: new Date(now.getTime() - days * dayMs), until: now }
}

/**
 * Returns the run of a backfill. It resumes where the last one gave up, or starts at the beginning. Undefined when the
 * manifest declares no backfill.
 */
export function backfillRun(
  object: Pick<EffectiveReadObject, 'objectName' | 'backfill'>,
  unfinished: UnfinishedBackfill | undefined,
  operationId: string,
  now: Date,
): NewRun | undefined {
  const window = backfillWindow(object, now)
  if (window === undefined) return undefined
  const run = { operationId, objectName: object.objectName, kind: 'backfill' } as const
  if (unfinished === undefined || !isSamePeriod(window, unfinished)) return { ...run, ...window }
  return { ...run, ...unfinished }
}

/** Whether two windows go equally far into the past. If so, a page token of one is valid in the other. */
function isSamePeriod(one: { since: Date | null; until: Date }, other: { since: Date | null; until: Date }): boolean {
  const lengthOf = ({ since, until }: typeof one) => since && Math.round((until.getTime() - since.getTime()) / dayMs)
  return lengthOf(one) === lengthOf(other)
}

/** Begins backfills of objects of one installation: their operations, and their runs. */
export async function beginBackfills(
  tx: ProjectDb,
  installation: Pick<InstallationRecord, 'id' | 'integrationId' | 'configId'>,
  runs: NewRun[],
): Promise<void> {
  await beginOperations(
    tx,
    runs.map(({ operationId, objectName }) => ({
      id: operationId,
      integrationId: installation.integrationId,
      installationId: installation.id,
      configId: installation.configId,
      actionType: 'read',
      readType: 'backfill',
      resource: objectName,
      metadata: { objects: [objectName] },
    })),
  )
  await insertRuns(tx, installation.id, runs)
  await insertBackfills(tx, installation.id, runs)
  if (runs.length > 0) await publishDue(tx, storedRunsLoop)
}

/**
 * Runs a backfill again. Does nothing to one that is already running. The caller must lock the installation first.
 * Returns the operation.
 */
export async function backfillAgain(
  tx: ProjectDb,
  { newId, now }: { newId: NewId; now: () => Date },
  installation: Pick<InstallationRecord, 'id' | 'integrationId' | 'configId'>,
  object: Pick<EffectiveReadObject, 'objectName' | 'backfill'>,
): Promise<string> {
  const known = (await listBackfillStates(tx, installation.id)).get(object.objectName)
  if (known?.state === 'running') return known.operationId
  const run = backfillRun(object, known?.resume, newId(), now())
  if (run === undefined) throw new Error('No backfill is declared for the object.')
  await beginBackfills(tx, installation, [run])
  await refreshHealth(tx, { installationId: installation.id })
  return run.operationId
}
