import { Type } from 'typebox'
import { isFirstOwnerToken } from '../first-owner.ts'
import { shownPage } from '../page-endpoint.ts'
import { messagePage } from '../pages/page.ts'
import { setupPage } from '../pages/setup-page.ts'

export const showSetupPage = shownPage({
  id: 'showSetupPage',
  path: '//signin/setup',
  beforeSecondFactor: true,
  summary: 'The page where the first owner creates an account, with the link that the service prints at its start.',
  query: { token: Type.Optional(Type.String({ description: 'The token of the link.' })) },
  run: async ({ query, formToken }, { database, keyring }) => {
    const token = query['token'] ?? ''
    if (!(await isFirstOwnerToken(database.system, keyring, token))) return setupLinkUsed()
    return setupPage({ formToken, token })
  },
})

export function setupLinkUsed() {
  return messagePage(
    'This link is not valid',
    'It works once, until the first account exists. Until then, the service prints the link at each start.',
    { status: 404, link: { href: '/signin', text: 'Sign in' } },
  )
}
