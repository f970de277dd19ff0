import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { startWorldManagement } from '../world-management.testkit.ts'
import { beginManagementSignIn } from './begin-management-sign-in.ts'

export const cases = casesOf(beginManagementSignIn, {
  status: 400,
  example: {
    status: 303,
    request: async (world) => {
      const kit = startWorldManagement(world)
      const { shown } = await kit.authorize(await kit.register())
      return shownPage(shown, Object.fromEntries(new URL(shown.url).searchParams))
    },
  },
})
