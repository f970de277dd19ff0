import { casesOf } from '../../../../testkit/cases.ts'
import { rotateDestinationSecret } from './rotate-destination-secret.ts'

export const cases = casesOf(rotateDestinationSecret, {
  request: { query: { includeSecrets: 'false' } },
  status: 200,
  example: {
    request: async (world) => ({
      params: { destination: await world.destination('rotated-hook') },
      query: { includeSecrets: 'true' },
    }),
  },
})
