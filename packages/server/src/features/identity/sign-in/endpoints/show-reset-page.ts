import { Type } from 'typebox'
import { resetCookie } from '../browser.ts'
import { shownPage } from '../page-endpoint.ts'
import { resetLinkRefusedPage } from '../pages/forgot-page.ts'
import { resetPage } from '../pages/reset-page.ts'
import { findResetBuilder } from '../password-reset.ts'

export const showResetPage = shownPage({
  id: 'showResetPage',
  path: '//signin/reset',
  beforeSecondFactor: true,
  summary: 'The page to choose a new password, opened by a link.',
  description: 'The token of the link moves into a cookie, so that it does not stay in the address bar.',
  query: { token: Type.Optional(Type.String({ description: 'The token of the link.' })) },
  run: async ({ query, formToken, resetToken }, services) => {
    const { token } = query
    if (token !== undefined) {
      if (!/^[\w-]{43}$/.test(token)) return resetLinkRefusedPage()
      return {
        to: '/signin/reset',
        cookies: [resetCookie(services, token)],
        headers: { 'referrer-policy': 'no-referrer' },
      }
    }
    const builder = resetToken === undefined ? undefined : await findResetBuilder(services, resetToken)
    return builder ? resetPage({ formToken, email: builder.email }) : resetLinkRefusedPage()
  },
})
