import { casesOf, shownPage } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { beginAgentSignIn } from './begin-agent-sign-in.ts'

export const cases = casesOf(beginAgentSignIn, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 303,
    request: async (world) => {
      const kit = await startWorldSignIn(world)
      const { shown } = await kit.authorize(await kit.register())
      return shownPage(shown, Object.fromEntries(new URL(shown.url).searchParams))
    },
  },
})
