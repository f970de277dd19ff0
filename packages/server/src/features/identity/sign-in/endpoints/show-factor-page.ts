import { Type } from 'typebox'
import { halfSignInOf } from '../factors/half-sign-in.ts'
import { showSecondStep } from '../factors/second-step.ts'
import { localPath } from '../next-path.ts'
import { shownPage } from '../page-endpoint.ts'

export const showFactorPage = shownPage({
  id: 'showFactorPage',
  path: '//signin/factor',
  beforeSecondFactor: true,
  summary: 'The page for the second step of a sign-in.',
  query: {
    with: Type.Optional(Type.String({ description: 'What to use: `totp`, `passkey` or `recoveryCode`.' })),
    next: Type.Optional(Type.String({ description: 'Path on this service to continue at. Anything else is ignored.' })),
  },
  run: async (context, services) => {
    const { query } = context
    const next = localPath(query['next'])
    const half = await halfSignInOf(services, context)
    if (!half) return { to: next === undefined ? '/signin' : `/signin?${new URLSearchParams({ next })}` }
    return await showSecondStep(services, context, half, { way: query['with'], next })
  },
})
