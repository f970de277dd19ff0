import type { Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import {
  Enum,
  endpoint,
  mayUseIntegration,
  named,
  Path,
  ProjectPath,
  Ref,
  reply,
  Timestamp,
} from '../../../../kernel/http/index.ts'
import { findInstallationRow, InstallationNotFound } from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound, objectNameOf } from '../../../integrations/integrations/index.ts'
import { listObjectStatuses, type ObjectStatusRow } from '../status-store.ts'

const time = (description: string) => Type.Unsafe<string | Date>({ ...Timestamp, description })
const states = ['backfilling', 'scheduled', 'paused', 'failing', 'idle'] as const

const InstallationStatus = named(
  'InstallationStatus',
  Type.Object(
    {
      healthStatus: Enum(['healthy', 'unhealthy'], { description: 'Whether the installation works.' }),
      healthReasons: Type.Optional(
        Type.Array(Type.String(), { description: 'Why it is unhealthy. Absent while it is healthy.' }),
      ),
      objects: Type.Array(
        Type.Object({
          objectName: Type.String({ description: 'The provider’s name of the object.' }),
          displayName: Type.String({
            description: 'Name for people: that of the manifest, of the provider file, or made from the name.',
          }),
          state: Enum([...states], {
            description:
              '`backfilling`: existing records are read. `scheduled`: the next read has a time. `paused`: reads are paused. `failing`: the last reads failed. `idle`: nothing is scheduled.',
          }),
          recordsRead: Type.Optional(Type.Integer({ description: 'Records of the backfill so far.' })),
          recordsTotal: Type.Optional(Type.Integer({ description: 'Estimate of the records of the backfill.' })),
          lastReadTime: Type.Optional(time('Until when its changes were read. A read that failed does not count.')),
          nextReadTime: Type.Optional(time('When the next one starts. Absent while the object is paused.')),
          failure: Type.Optional(
            Type.Object(
              {
                since: Type.Optional(time('When it failed.')),
                detail: Type.String({ description: 'Why, in one sentence.' }),
              },
              { description: 'Why reads fail.' },
            ),
          ),
        }),
        { description: 'The objects that it reads, in the order of the manifest.' },
      ),
    },
    { description: 'Whether an installation works, and how far its reads are.' },
  ),
)

export const getInstallationStatus = endpoint({
  id: 'getInstallationStatus',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/status',
  access: 'frontendView',
  session: 'install',
  summary: 'Get whether an installation works, and how far its reads are.',
  tag: 'Installations',
  extension: true,
  params: Path({ ...ProjectPath.properties, integrationId: Ref, installationId: Ref }),
  reply: { 200: InstallationStatus },
  problems: [IntegrationNotFound, InstallationNotFound],
  run: async ({ db, params, confinedTo }, { catalogue }: { catalogue: Catalogue }) => {
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const row = await findInstallationRow(db, params.installationId, confinedTo)
    if (row?.integration_id !== integration.id || !mayUseIntegration(confinedTo, row.integration_id))
      throw new InstallationNotFound()
    const { content } = integration
    const names = content.read?.objects.map(({ objectName }) => objectName) ?? []
    const entry = catalogue.find(content.provider)
    const objects = await listObjectStatuses(db, row.id)
    return reply(200, {
      healthStatus: row.health_status,
      ...(row.health_reasons && row.health_reasons.length > 0 && { healthReasons: row.health_reasons }),
      objects: objects
        .toSorted((one, other) => positionOf(one, names) - positionOf(other, names))
        .map((object) => statusOf(object, objectNameOf(entry, content, object.objectName))),
    })
  },
})

/** In the order of the manifest; what the manifest no longer declares comes last. */
function positionOf({ objectName }: ObjectStatusRow, names: readonly string[]): number {
  const index = names.indexOf(objectName)
  return index < 0 ? names.length : index
}

function statusOf(object: ObjectStatusRow, displayName: string) {
  const { objectName, paused, isBackfilling, recordsRead, recordsTotal, readTime, nextRunTime } = object
  const failure = failureOf(object)
  const state = failure
    ? ('failing' as const)
    : paused
      ? ('paused' as const)
      : isBackfilling
        ? ('backfilling' as const)
        : nextRunTime
          ? ('scheduled' as const)
          : ('idle' as const)
  return {
    objectName,
    displayName,
    state,
    ...(recordsRead !== null && { recordsRead }),
    ...(recordsTotal !== null && { recordsTotal }),
    ...(readTime && { lastReadTime: readTime }),
    ...(nextRunTime && !paused && { nextReadTime: nextRunTime }),
    ...(failure && { failure }),
  }
}

function failureOf(object: ObjectStatusRow): { since?: Date; detail: string } | undefined {
  const { paused, pausedTime, failureCount, lastError, updateTime, backfillError, backfillTime } = object
  if (paused === 'request' || paused === 'config') return undefined
  if (paused === 'credentials')
    return {
      ...(pausedTime && { since: pausedTime }),
      detail: 'The provider refuses the credential of the connection.',
    }
  const since = pausedTime ?? updateTime
  if (lastError !== null && (paused === 'failures' || failureCount > 0))
    return { ...(since && { since }), detail: lastError }
  if (backfillError !== null) return { ...(backfillTime && { since: backfillTime }), detail: backfillError }
  return undefined
}
