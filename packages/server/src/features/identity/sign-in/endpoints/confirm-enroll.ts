import { showEnrollPage } from '../factors/enroll.ts'
import { readCreatedPasskey } from '../factors/read-passkey.ts'
import { begunTotp, confirmPasskey, confirmTotp } from '../factors/set-up.ts'
import { localPath } from '../next-path.ts'
import { type PageContext, type PageServices, sentForm } from '../page-endpoint.ts'
import { enrolledPage, totpSetupPage } from '../pages/enroll-pages.ts'
import { FactorNotBegun, FactorRefused, ProofRequired, TooManyFactors } from '../problems.ts'
import { requireProof } from '../proof.ts'
import type { SessionOwner } from '../session-store.ts'
import { signedIn } from '../signed-in.ts'

export const confirmEnroll = sentForm({
  id: 'confirmEnroll',
  path: '//signin/enroll/confirm',
  audit: { verb: 'create', resource: 'factor' },
  beforeSecondFactor: true,
  summary: 'Confirm a second factor with its code or response, and show recovery codes.',
  run: async (context, services) => {
    const { form, formToken, owner, note } = context
    if (!owner) return { to: '/signin' }
    const next = localPath(form.get('next') ?? undefined)
    try {
      const { factor, recoveryCodes } = await confirm(services, form, owner)
      services.builderTokens.forget(owner.sessionId)
      note({ ...signedIn({ id: owner.builderId, email: owner.email }), resourceId: factor.id })
      return enrolledPage({ name: factor.name, recoveryCodes, next })
    } catch (error) {
      if (error instanceof FactorRefused && form.get('kind') !== 'passkey')
        return totpSetupPage({ formToken, next, ...wrongCode, ...(await begunTotp(services, owner)) })
      const fault = faultOf(error)
      return await showEnrollPage(services, context, owner, { next, fault, status: 400 })
    }
  },
})

const wrongCode = {
  fault: 'This is not the current code of the app. Check the time of your device and try the next code.',
  status: 400,
} as const

async function confirm(services: PageServices, form: PageContext['form'], owner: SessionOwner) {
  await requireProof(services, owner)
  if (form.get('kind') !== 'passkey')
    return await confirmTotp(services, owner, { code: (form.get('code') ?? '').slice(0, 100) })
  const created = readCreatedPasskey(form)
  if (!created) throw new FactorRefused()
  return await confirmPasskey(services, owner, { created })
}

function faultOf(error: unknown): string {
  if (error instanceof FactorRefused) return 'The passkey was not accepted. Try again.'
  if (error instanceof FactorNotBegun) return 'This took longer than ten minutes. Start again.'
  if (error instanceof ProofRequired) return 'You signed in more than ten minutes ago. Prove that it is you.'
  if (error instanceof TooManyFactors) return 'An account can have ten factors. Remove one first.'
  throw error
}
