import { findBuilder } from '../../orgs/index.ts'
import { halfCookie } from '../browser.ts'
import { finishHalfSignIn, halfSignInOf } from '../factors/half-sign-in.ts'
import { readUsedPasskey } from '../factors/read-passkey.ts'
import { showSecondStep } from '../factors/second-step.ts'
import { consolePath, localPath } from '../next-path.ts'
import { sentForm } from '../page-endpoint.ts'
import { messagePage } from '../pages/page.ts'
import { SecondFactorRefused } from '../problems.ts'
import { signInBrowser } from '../sign-in-browser.ts'
import { signInFault } from '../sign-in-fault.ts'
import { signedIn } from '../signed-in.ts'

export const submitFactor = sentForm({
  id: 'submitFactor',
  path: '//signin/factor',
  audit: { verb: 'signIn', resource: 'session' },
  beforeSecondFactor: true,
  summary: 'Complete a sign-in with a code, a recovery code or a passkey.',
  run: async (context, services) => {
    const { form, address, device, note } = context
    const next = localPath(form.get('next') ?? undefined)
    const way = form.get('with') ?? undefined
    const half = await halfSignInOf(services, context)
    const builder = half && (await findBuilder(services.database.system, half.builder_id))
    if (!half || !builder) return signInExpired()
    note({ actor: { kind: 'person', id: builder.id, name: builder.email }, resourceId: builder.id })
    const passkey = readUsedPasskey(form)
    const given = passkey ? { passkey } : { code: (form.get('code') ?? '').slice(0, 100) }
    try {
      await finishHalfSignIn(services, half, builder, given, { address, device })
    } catch (error) {
      if (error instanceof SecondFactorRefused) note({ outcome: 'failure' })
      return await showSecondStep(services, context, half, { way, next, ...signInFault(error, services.now()) })
    }
    note(signedIn(builder))
    const cookies = await signInBrowser(services, context, builder, 'second-factor')
    return { to: next ?? consolePath, cookies: [...cookies, halfCookie(services, undefined)] }
  },
})

function signInExpired() {
  return messagePage(
    'This sign-in has expired',
    'You entered your password more than ten minutes ago, or the sign-in was already completed. Start again.',
    { status: 403, link: { href: '/signin', text: 'Sign in' } },
  )
}
