import { jobReference } from '../../../kernel/jobs/index.ts'
import type { BufferedObject } from './on-request/buffered-page-store.ts'

/** Whose installations: those of an integration, or those of a connection. */
export type ResyncScope =
  | { integrationId: string; connectionId?: never }
  | { connectionId: string; integrationId?: never }

export function releasePagesKey({ installationId, objectName }: BufferedObject): string {
  return `${installationId}:${objectName}`
}

/** Ends a job of the provider that no read needs any more. */
export const abortProviderJob = jobReference<{
  projectId: string
  connectionId: string
  module?: string
  objectName: string
  /** Id of the job at the provider. */
  id: string
}>('reading.abort')

/** Posts the buffered pages of an object that were requested. */
export const releasePages = jobReference<BufferedObject & { projectId: string }>('reading.release')

/** Brings the reads of installations in line with what holds now. */
export const resyncInstallations = jobReference<{ projectId: string } & ResyncScope>('reading.resync')
