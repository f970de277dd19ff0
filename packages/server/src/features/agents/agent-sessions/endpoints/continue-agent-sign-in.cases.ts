import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { continueAgentSignIn } from './continue-agent-sign-in.ts'

export const cases = casesOf(continueAgentSignIn, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 303,
    request: async (world) => {
      const kit = await startWorldSignIn(world)
      const { id, browser } = await kit.begin()
      const shown = await kit.follow(browser, await kit.complete(id))
      return shownPage(shown, Object.fromEntries(new URL(shown.url).searchParams))
    },
  },
})
