import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { findInstallations } from '../../../integrations/installations/index.ts'
import { failuresShown, type Resend } from './resend-model.ts'
import { findResendProgress, listFailedReads } from './resend-read-store.ts'
import type { ResendRow } from './resend-store.ts'

/** Returns a resend with its progress and its failures. */
export async function resendResource(
  db: ProjectDb,
  row: ResendRow,
  { disabled_time: disabledTime }: { disabled_time: Date | null },
): Promise<Resend> {
  const progress = await findResendProgress(db, row.destination_id)
  const failed = progress.reads.failed === 0 ? [] : await listFailedReads(db, row.destination_id, failuresShown)
  const ids = [...new Set(failed.map(({ installationId }) => installationId))]
  const found =
    ids.length === 0
      ? []
      : await findInstallations(
          db.sql,
          ids.map((id) => ({ projectId: db.projectId, id })),
        )
  const byId = new Map(found.map((installation) => [installation.id, installation]))
  return {
    id: row.id,
    destinationId: row.destination_id,
    ...(row.integration_id !== null && { integrationId: row.integration_id }),
    ...(row.group_ref !== null && { groupRef: row.group_ref }),
    ...(row.object_name !== null && { objectName: row.object_name }),
    status: row.status,
    ...(row.status === 'in_progress' && disabledTime !== null && { waitsFor: 'destination' as const }),
    isListed: row.is_listed,
    ...progress,
    failures: failed.map(({ installationId, objectName, operationId, error }) => {
      const installation = byId.get(installationId)
      return {
        installationId,
        ...(installation && { groupRef: installation.groupRef, integration: installation.integrationName }),
        objectName,
        ...(operationId !== null && { operationId }),
        error,
      }
    }),
    createTime: row.create_time,
    ...(row.end_time !== null && { endTime: row.end_time }),
  }
}
