import { sessionCookie } from '../browser.ts'
import { localPath } from '../next-path.ts'
import { sentForm } from '../page-operation.ts'
import { signInPage } from '../pages/sign-in-page.ts'
import { replaceBrowserSession } from '../sessions.ts'
import { signInFault } from '../sign-in-fault.ts'
import { signInWithPassword } from '../sign-in-with-password.ts'

export const submitSignIn = sentForm({
  id: 'submitSignIn',
  path: '//signin',
  summary: 'Signs in with the form of the sign-in page.',
  run: async ({ form, owner, formToken, address }, services) => {
    const next = localPath(form.get('next') ?? undefined)
    try {
      const email = (form.get('email') ?? '').slice(0, 320)
      const password = form.get('password') ?? ''
      const builder = await signInWithPassword(services, { email, password, address })
      const token = await replaceBrowserSession(services, owner, builder.id)
      return { to: next ?? '/signin/done', cookie: sessionCookie(services, token) }
    } catch (error) {
      const singleSignOn = services.singleSignOn?.name
      return signInPage({ formToken, next, singleSignOn, ...signInFault(error, services.now()) })
    }
  },
})
