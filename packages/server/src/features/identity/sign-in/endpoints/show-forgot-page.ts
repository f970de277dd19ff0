import { shownPage } from '../page-endpoint.ts'
import { askAnOwnerPage, forgotPage } from '../pages/forgot-page.ts'

export const showForgotPage = shownPage({
  id: 'showForgotPage',
  path: '//signin/forgot',
  beforeSecondFactor: true,
  summary: 'The page for forgotten passwords: emails a link, or says whom to ask.',
  run: async ({ formToken }, { config }) =>
    config.smtpUrl === undefined ? askAnOwnerPage() : forgotPage({ formToken }),
})
