import { casesOf } from '../../../../testkit/cases.ts'
import { disableDestination } from './disable-destination.ts'

export const cases = casesOf(disableDestination, {
  request: { body: { reason: 'A reason.' } },
  status: 200,
  example: {
    request: async (world) => ({
      params: { destination: await world.destination('quiet-hook') },
      body: { reason: 'The receiver is being moved.' },
    }),
  },
})
