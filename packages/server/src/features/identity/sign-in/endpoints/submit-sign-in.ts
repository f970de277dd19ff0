import { leadToSecondStep } from '../factors/half-sign-in.ts'
import { consolePath, localPath } from '../next-path.ts'
import { sentForm } from '../page-endpoint.ts'
import { signInPage } from '../pages/sign-in-page.ts'
import { signInBrowser } from '../sign-in-browser.ts'
import { signInFault } from '../sign-in-fault.ts'
import { signInWithPassword } from '../sign-in-with-password.ts'

export const submitSignIn = sentForm({
  id: 'submitSignIn',
  path: '//signin',
  audit: { verb: 'signIn', resource: 'session' },
  beforeSecondFactor: true,
  summary: 'Sign in with the form of the sign-in page.',
  run: async (context, services) => {
    const { form, formToken, address, device, note } = context
    const next = localPath(form.get('next') ?? undefined)
    try {
      const email = (form.get('email') ?? '').slice(0, 320)
      const password = form.get('password') ?? ''
      const { builder, factors } = await signInWithPassword(services, { email, password, address, device, note })
      if (factors.length > 0) return await leadToSecondStep(services, context, builder.id, next)
      note({ outcome: 'success' })
      return { to: next ?? consolePath, cookies: await signInBrowser(services, context, builder, 'password') }
    } catch (error) {
      const singleSignOn = services.singleSignOn?.name
      return signInPage({ formToken, next, singleSignOn, ...signInFault(error, services.now()) })
    }
  },
})
