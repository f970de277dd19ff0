import { casesOf } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { getAuthorizationServerMetadata } from './get-authorization-server-metadata.ts'

export const cases = casesOf(getAuthorizationServerMetadata, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 200,
    request: async (world) => {
      await startWorldSignIn(world)
      return { params: { projectIdOrName: world.app.projectId } }
    },
  },
})
