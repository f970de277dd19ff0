import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { ProviderAppInUse, ProviderAppNotFound } from '../problems.ts'
import { deleteProviderAppRow, isProviderAppUsed, lockProviderApp } from '../store.ts'

export const deleteProviderApp = endpoint({
  id: 'deleteProviderApp',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/provider-apps/{providerAppId}',
  access: 'develop',
  summary: 'Delete a provider app that no connection uses.',
  tag: 'Provider apps',
  params: Path({ ...ProjectPath.properties, providerAppId: Ref }),
  reply: { 204: Empty },
  problems: [ProviderAppNotFound, ProviderAppInUse],
  run: async ({ db, params }) =>
    await db.transaction(async (tx) => {
      // The lock keeps new connections away: each takes a share of it through its foreign key.
      const row = await lockProviderApp(tx, params.providerAppId)
      if (!row) throw new ProviderAppNotFound()
      if (await isProviderAppUsed(tx, row.id)) throw new ProviderAppInUse()
      await deleteProviderAppRow(tx, row.id)
      return reply(204, null)
    }),
})
