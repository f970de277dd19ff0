import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import { readSoon } from '../reading/index.ts'
import { effectiveSubscribeObjects } from './effective-subscribe.ts'

/**
 * Reads what a provider did not report: from where the last read of each object ended. Objects that are not read on a
 * schedule are left out.
 *
 * @param objectName the object of the registration, where each has its own; otherwise all that are subscribed to
 */
export function readMissed(
  tx: ProjectDb,
  services: { work: Work },
  installation: InstallationRecord,
  objectName: string | undefined,
): Promise<void> {
  const names = objectName === undefined ? [...effectiveSubscribeObjects(installation).keys()] : [objectName]
  return readSoon(
    tx,
    services,
    names.map((name) => ({ installationId: installation.id, objectName: name })),
  )
}
