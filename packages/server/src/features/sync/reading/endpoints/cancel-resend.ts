import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { findInstallations, lockInstallation } from '../../../integrations/installations/index.ts'
import { DestinationNotFound, findDestination } from '../../../messaging/destinations/index.ts'
import { endOperation } from '../../../platform/operations/index.ts'
import { abortJobsOf } from '../abort-jobs.ts'
import { ResendNotFound } from '../problems.ts'
import { Resend } from '../resends/resend-model.ts'
import { cancelResendReads } from '../resends/resend-read-store.ts'
import { resendResource } from '../resends/resend-resource.ts'
import { cancelResendRow, lockResend, type ResendRow } from '../resends/resend-store.ts'
import { deleteResendRuns, listResendInstallations } from '../run-store.ts'

export const cancelResend = endpoint({
  id: 'cancelResend',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations/{destination}:cancelResend',
  access: 'operate',
  summary: 'Cancel the resend of a destination.',
  description: 'Ends its reads. Records that they have read are still delivered. No effect on a resend that has ended.',
  tag: 'Destinations',
  audit: { verb: 'cancelResend', resource: 'destination' },
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  reply: { 200: Resend },
  problems: [DestinationNotFound, ResendNotFound],
  run: async ({ db, params }, services: { queue: JobQueue; catalogue: Catalogue }) => {
    const destination = await findDestination(db, params.destination)
    if (!destination) throw new DestinationNotFound()
    const row = await db.transaction(async (tx) => {
      const found = await lockResend(tx, destination.id)
      return found?.status === 'in_progress' ? cancel(tx, services, destination.id) : found
    })
    if (!row) throw new ResendNotFound()
    return reply(200, await resendResource(db, row, destination))
  },
})

/** Cancels a resend that is locked: its reads end, and jobs of providers that they use. */
async function cancel(
  tx: ProjectDb,
  services: { queue: JobQueue; catalogue: Catalogue },
  destinationId: string,
): Promise<ResendRow> {
  const ids = await listResendInstallations(tx, destinationId)
  // No more than a resend reads at a time. First, as every transaction that changes more than a run.
  for (const id of ids) await lockInstallation(tx, id)
  const runs = await deleteResendRuns(tx, destinationId)
  const installations = await findInstallations(
    tx.sql,
    ids.map((id) => ({ projectId: tx.projectId, id })),
  )
  for (const installation of installations) {
    const own = runs.filter(({ installationId }) => installationId === installation.id)
    await abortJobsOf(tx, services, installation, own)
  }
  for (const { operationId, objectName } of runs)
    await endOperation(tx, operationId, { status: 'failure', result: `[${objectName}] The resend was canceled.` })
  await cancelResendReads(tx, destinationId)
  return cancelResendRow(tx, destinationId)
}
