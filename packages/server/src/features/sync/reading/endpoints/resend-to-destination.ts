import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, type Issue, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { publishDue } from '../../../../kernel/work/index.ts'
import { findGroup } from '../../../accounts/consumers/index.ts'
import { findIntegration } from '../../../integrations/integrations/index.ts'
import { DestinationNotFound, findDestination, lockDestination } from '../../../messaging/destinations/index.ts'
import { DestinationDisabled, ResendInProgress } from '../problems.ts'
import { Resend, ResendRequest } from '../resends/resend-model.ts'
import { resendResource } from '../resends/resend-resource.ts'
import { findResend, insertResend, type NewResend, type ResendRow } from '../resends/resend-store.ts'
import { resendsLoop } from '../resends/resends-loop.ts'

export const resendToDestination = endpoint({
  id: 'resendToDestination',
  method: 'POST',
  path: '/projects/{projectIdOrName}/destinations/{destination}:resend',
  access: 'operate',
  summary: 'Fill a destination with the records that are there already.',
  description:
    'Reads all records of each object whose messages go to this destination, in every installation, and delivers them again. Runs in the background, four reads at a time. Scheduled reads keep their positions. While a resend with the same filters is in progress, returns it.',
  tag: 'Destinations',
  audit: { verb: 'resend', resource: 'destination' },
  extension: true,
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  body: ResendRequest,
  bodyOptional: true,
  reply: { 202: Resend },
  problems: [InvalidInput, DestinationNotFound, DestinationDisabled, ResendInProgress],
  run: async ({ db, params, body }, { newId }: { newId: NewId }) => {
    const found = await findDestination(db, params.destination)
    if (!found) throw new DestinationNotFound()
    const filters = await filtersOf(db, body ?? {})
    const { row, destination } = await db.transaction(async (tx) => {
      // Of two requests, the second finds the resend of the first.
      const destination = await lockDestination(tx, found.id)
      if (!destination) throw new DestinationNotFound()
      const running = await findResend(tx, found.id)
      if (running?.status === 'in_progress') {
        if (!hasFilters(running, filters)) throw new ResendInProgress()
        return { row: running, destination }
      }
      if (destination.disabled_time !== null) throw new DestinationDisabled()
      const row = await insertResend(tx, { id: newId(), destinationId: found.id, ...filters })
      await publishDue(tx, resendsLoop)
      return { row, destination }
    })
    return reply(202, await resendResource(db, row, destination))
  },
})

type Filters = Pick<NewResend, 'integrationId' | 'groupRef' | 'objectName'>

/** @throws InvalidInput with everything that is wrong */
async function filtersOf(db: ProjectDb, { integration, groupRef, objectName }: ResendRequest): Promise<Filters> {
  const issues: Issue[] = []
  const found = integration === undefined ? undefined : await findIntegration(db, integration)
  if (integration !== undefined && !found)
    issues.push({
      in: 'body',
      name: 'integration',
      value: integration,
      detail: 'integration names no integration of this project.',
      remedy: 'Give the id or name of one.',
    })
  if (groupRef !== undefined && !(await findGroup(db, groupRef)))
    issues.push({
      in: 'body',
      name: 'groupRef',
      value: groupRef,
      detail: 'This project has no group of this ref.',
      remedy: 'List the groups of the project to find its ref.',
    })
  if (issues.length > 0) throw new InvalidInput({ issues })
  return { integrationId: found?.id ?? null, groupRef: groupRef ?? null, objectName: objectName ?? null }
}

function hasFilters(row: ResendRow, { integrationId, groupRef, objectName }: Filters): boolean {
  return row.integration_id === integrationId && row.group_ref === groupRef && row.object_name === objectName
}
