import { casesOf } from '../../../../testkit/cases.ts'
import { newJwtKey } from '../../../../testkit/tenant.ts'
import { project } from '../../../../testkit/world.ts'
import { deleteJWTKey } from './delete-jwt-key.ts'

export const cases = casesOf(deleteJWTKey, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make }) => {
      const { kid } = await make<{ kid: string }>('POST', `${project}/jwt-keys`, newJwtKey())
      return { params: { keyId: kid } }
    },
  },
})
