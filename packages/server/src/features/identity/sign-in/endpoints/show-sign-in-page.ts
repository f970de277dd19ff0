import { Type } from 'typebox'
import { consolePath, localPath } from '../next-path.ts'
import { shownPage } from '../page-endpoint.ts'
import { signInPage } from '../pages/sign-in-page.ts'

export const showSignInPage = shownPage({
  id: 'showSignInPage',
  path: '//signin',
  beforeSecondFactor: true,
  summary: 'The page where builders sign in.',
  query: {
    next: Type.Optional(Type.String({ description: 'Path on this service to continue at. Anything else is ignored.' })),
  },
  run: async ({ query, owner, formToken }, { singleSignOn }) => {
    const next = localPath(query['next'])
    if (owner) return { to: next ?? consolePath }
    return signInPage({ formToken, next, singleSignOn: singleSignOn?.name })
  },
})
