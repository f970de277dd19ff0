import { jobReference } from '../../../kernel/jobs/index.ts'
import type { BufferedObject } from './on-request/buffered-page-store.ts'

/** Whose installations: those of an integration, or those of a connection. */
export type ResyncScope =
  | { integrationId: string; connectionId?: never }
  | { connectionId: string; integrationId?: never }

/** One object of one installation. */
export interface RunReadsData {
  projectId: string
  installationId: string
  objectName: string
}

export function releasePagesKey({ installationId, objectName }: BufferedObject): string {
  return `${installationId}:${objectName}`
}

/** Posts the buffered pages of an object that were requested. */
export const releasePages = jobReference<BufferedObject & { projectId: string }>('reading.release')

/** Brings the reads of installations in line with what holds now. */
export const resyncInstallations = jobReference<{ projectId: string } & ResyncScope>('reading.resync')

/** Key of the job: of one object, one run at a time. */
export function runReadsKey({
  installationId,
  objectName,
}: Pick<RunReadsData, 'installationId' | 'objectName'>): string {
  return `${installationId}:${objectName}`
}

/** Processes the waiting reads of an object of an installation. */
export const runReads = jobReference<RunReadsData>('reading.run')
