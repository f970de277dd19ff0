import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Confinement } from '../../../kernel/http/index.ts'
import { effectiveReadObjects, findInstallation, InstallationNotFound } from '../../integrations/installations/index.ts'
import { findIntegration } from '../../integrations/integrations/index.ts'

/**
 * Returns an installation by its path, and its objects by either of their names.
 * @throws InstallationNotFound also with a consumer token of another group
 */
export async function installationObject(
  db: ProjectDb,
  path: { integrationId: string; installationId: string },
  confinedTo?: Confinement,
) {
  const integration = await findIntegration(db, path.integrationId, confinedTo)
  const installation = await findInstallation(db, path.installationId)
  if (!integration || installation?.integrationId !== integration.id) throw new InstallationNotFound()
  if (confinedTo && installation.groupRef !== confinedTo.groupRef) throw new InstallationNotFound()
  const objects = effectiveReadObjects(installation)
  return { installation, objects, names: namesOf(objects.values()) }
}

/** The provider's name of an object by its mapped or raw name; where both exist, the raw one counts. */
export function namesOf(objects: Iterable<{ objectName: string; mapToName?: string }>): Map<string, string> {
  const all = [...objects]
  return new Map([
    ...all.flatMap(({ objectName, mapToName }): [string, string][] =>
      mapToName === undefined ? [] : [[mapToName, objectName]],
    ),
    ...all.map(({ objectName }): [string, string] => [objectName, objectName]),
  ])
}
