import { normalizeEmail } from '../../orgs/index.ts'
import { sentForm } from '../page-endpoint.ts'
import { askAnOwnerPage, forgotPage, linkSentPage } from '../pages/forgot-page.ts'
import { MailNotSetUp } from '../problems.ts'
import { requestReset } from '../request-reset.ts'
import { signInFault } from '../sign-in-fault.ts'

export const submitForgot = sentForm({
  id: 'submitForgot',
  path: '//signin/forgot',
  audit: { exempt: 'asks for a link, whatever the address; using the link leaves an entry' },
  beforeSecondFactor: true,
  summary: 'Email a link that resets a forgotten password. The page is the same whether or not there is an account.',
  run: async ({ form, formToken, address, device }, services) => {
    const email = normalizeEmail((form.get('email') ?? '').slice(0, 1_000))
    if (email === undefined)
      return forgotPage({ formToken, fault: 'Enter an email address like ada@example.com.', status: 400 })
    try {
      await requestReset(services, email, { address, device })
    } catch (error) {
      if (error instanceof MailNotSetUp) return askAnOwnerPage()
      return forgotPage({ formToken, ...signInFault(error, services.now()) })
    }
    return linkSentPage(email)
  },
})
