import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { DestinationHooks } from '../hooks.ts'
import { DestinationNotFound } from '../problems.ts'
import { deleteDestinationRow, findDestination, lockDestination } from '../store.ts'

export const deleteDestination = endpoint({
  id: 'deleteDestination',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/destinations/{destination}',
  access: 'develop',
  summary: 'Delete a destination.',
  description: 'Its undelivered messages are queued. They are delivered when you create a destination of that name.',
  tag: 'Destinations',
  params: Path({ ...ProjectPath.properties, destination: Ref }),
  reply: { 204: Empty },
  problems: [DestinationNotFound],
  run: async ({ db, params }, { hooks }: { hooks: DestinationHooks }) => {
    const found = await findDestination(db, params.destination)
    await db.transaction(async (tx) => {
      const row = found && (await lockDestination(tx, found.id))
      if (!row) throw new DestinationNotFound()
      await deleteDestinationRow(tx, row.id)
      await hooks.destinationChanged(tx, { destinationId: row.id, name: row.name, kind: 'deleted' })
    })
    return reply(204, null)
  },
})
