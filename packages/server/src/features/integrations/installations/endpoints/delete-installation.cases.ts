import { casesOf } from '../../../../testkit/cases.ts'
import { deleteInstallation } from './delete-installation.ts'

export const cases = casesOf(deleteInstallation, {
  status: 404,
  example: { status: 204, request: async (world) => ({ params: { installationId: await world.install('parting') } }) },
})
