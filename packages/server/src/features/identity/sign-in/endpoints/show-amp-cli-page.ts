import { shownPage } from '../page-endpoint.ts'
import { consentPage } from '../pages/consent-page.ts'

export const showAmpCliPage = shownPage({
  id: 'showAmpCliPage',
  path: '//signin/amp-cli',
  summary: 'The page where the existing command line `amp` is signed in (contract 8.5).',
  run: async ({ owner, formToken }) => {
    if (!owner) return { to: `/signin?${new URLSearchParams({ next: '/signin/amp-cli' })}` }
    return consentPage({
      formToken,
      action: '/signin/amp-cli',
      program: 'amp',
      address: 'localhost:3535',
      email: owner.email,
      about: {},
    })
  },
})
