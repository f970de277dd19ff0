import { InvalidInput, type Problem } from '../../../../kernel/http/index.ts'
import { deviceCookie, noSessionCookie, resetCookie } from '../browser.ts'
import { newDevice } from '../device.ts'
import { sentForm } from '../page-endpoint.ts'
import { resetLinkRefusedPage } from '../pages/forgot-page.ts'
import { passwordChangedPage, resetPage } from '../pages/reset-page.ts'
import { completeReset, findResetBuilder } from '../password-reset.ts'
import { ResetLinkRefused } from '../problems.ts'
import { signInFault } from '../sign-in-fault.ts'
import { signedIn } from '../signed-in.ts'

export const submitReset = sentForm({
  id: 'submitReset',
  path: '//signin/reset',
  audit: { verb: 'reset', resource: 'password' },
  beforeSecondFactor: true,
  summary: 'Set a new password with the link that the browser opened.',
  run: async ({ form, formToken, resetToken: token, owner, address, note }, services) => {
    const shown = token === undefined ? undefined : await findResetBuilder(services, token)
    if (token === undefined || !shown) return resetLinkRefusedPage()
    try {
      const newPassword = form.get('password') ?? ''
      const builder = await completeReset(services, { token, newPassword, address })
      note(signedIn(builder))
      const cookies = [resetCookie(services, undefined), deviceCookie(services, newDevice(services, builder.email))]
      if (owner?.builderId === builder.id) cookies.push(noSessionCookie(services))
      return { ...passwordChangedPage(), cookies }
    } catch (error) {
      if (error instanceof ResetLinkRefused) return resetLinkRefusedPage()
      const { email } = shown
      if (error instanceof InvalidInput) {
        const fault = (error as Problem).occurrence.issues?.map(({ detail }) => detail).join(' ') ?? ''
        return resetPage({ formToken, email, fault, status: 400 })
      }
      return resetPage({ formToken, email, ...signInFault(error, services.now()) })
    }
  },
})
