import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { enrolling } from '../factors/factor-world.testkit.ts'
import { confirmEnroll } from './confirm-enroll.ts'

export const cases = casesOf(confirmEnroll, {
  status: 415,
  example: {
    status: 200,
    request: async (world) => {
      const { browser, setup, code } = await enrolling(world, 'erin@acme.example')
      return shownPage(await submit(browser, setup, { code }))
    },
  },
})
