import { casesOf } from '../../../../testkit/cases.ts'
import { deleteIntegration } from './delete-integration.ts'

export const cases = casesOf(deleteIntegration, {
  status: 404,
  example: {
    status: 204,
    request: async ({ deploy }) => {
      await deploy('old')
      return { params: { integrationIdOrName: 'old' } }
    },
  },
})
