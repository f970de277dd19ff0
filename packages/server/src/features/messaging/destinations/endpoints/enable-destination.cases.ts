import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { enableDestination } from './enable-destination.ts'

export const cases = casesOf(enableDestination, {
  status: 200,
  example: {
    request: async (world) => {
      const id = await world.destination('back-again')
      await world.make('POST', `${project}/destinations/${id}:disable`, { reason: 'Moved.' })
      return { params: { destination: id } }
    },
  },
})
