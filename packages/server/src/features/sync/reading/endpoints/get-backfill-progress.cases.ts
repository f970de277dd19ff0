import { expect, vi } from 'vitest'
import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { getBackfillProgress } from './get-backfill-progress.ts'

export const cases = casesOf(getBackfillProgress, {
  // The installation of the tenant has no backfill.
  status: 404,
  example: {
    status: 200,
    request: async (world) => {
      await world.deploy('past', '          backfill:\n            defaultPeriod:\n              fullHistory: true\n')
      const installationId = await world.install('historic', 'past')
      const progress = `${project}/integrations/past/installations/${installationId}/objects/contacts/backfill-progress`
      await vi.waitFor(
        async () => {
          const { recordsProcessed } = await world.make<{ recordsProcessed: number }>('GET', progress)
          expect(recordsProcessed).toBeGreaterThan(0)
        },
        { timeout: 60_000 },
      )
      return { params: { integrationId: 'past', installationId } }
    },
  },
})
