import { casesOf } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { getProtectedResourceMetadata } from './get-protected-resource-metadata.ts'

export const cases = casesOf(getProtectedResourceMetadata, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 200,
    request: async (world) => {
      await startWorldSignIn(world)
      return {}
    },
  },
})
