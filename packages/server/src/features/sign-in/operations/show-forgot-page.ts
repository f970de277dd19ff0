import { shownPage } from '../page-operation.ts'
import { askAnOwnerPage, forgotPage } from '../pages/forgot-page.ts'

export const showForgotPage = shownPage({
  id: 'showForgotPage',
  path: '//signin/forgot',
  summary: 'The page that mails a link to people who forgot their password, or says whom to ask for one.',
  run: async ({ formToken }, { config }) =>
    config.smtpUrl === undefined ? askAnOwnerPage() : forgotPage({ formToken }),
})
