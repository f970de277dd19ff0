import { Problem } from '../../../../kernel/http/index.ts'
import { showEnrollPage } from '../factors/enroll.ts'
import { isRecoveryCode } from '../factors/recovery-codes.ts'
import { beginPasskey, beginTotp } from '../factors/set-up.ts'
import { isTotpCode } from '../factors/totp.ts'
import { localPath } from '../next-path.ts'
import { sentForm } from '../page-endpoint.ts'
import { passkeySetupPage, totpSetupPage } from '../pages/enroll-pages.ts'
import { PasskeysUnavailable, ProofRefused, TooManyFactors } from '../problems.ts'
import { hasProof, prove } from '../proof.ts'
import { signInFault } from '../sign-in-fault.ts'

export const submitEnroll = sentForm({
  id: 'submitEnroll',
  path: '//signin/enroll',
  audit: { exempt: 'nothing changes before the factor is confirmed, which leaves an entry' },
  beforeSecondFactor: true,
  summary: 'Begin to set up a second factor.',
  run: async (context, services) => {
    const { form, formToken, owner, address } = context
    if (!owner) return { to: '/signin' }
    const next = localPath(form.get('next') ?? undefined)
    try {
      if (!(await hasProof(services, owner))) await prove(services, owner, givenProof(form), address)
      if (form.get('kind') === 'passkey')
        return passkeySetupPage({ formToken, next, ...(await beginPasskey(services, owner)) })
      return totpSetupPage({ formToken, next, ...(await beginTotp(services, owner)) })
    } catch (error) {
      return await showEnrollPage(services, context, owner, { next, ...enrollFault(error, services.now()) })
    }
  },
})

function givenProof(form: URLSearchParams): { password: string } | { code: string } {
  const proof = (form.get('proof') ?? '').slice(0, 1_000)
  const code = proof.replaceAll(/\s/g, '')
  return isTotpCode(code) || isRecoveryCode(code) ? { code } : { password: proof }
}

function enrollFault(error: unknown, now: Date): { fault: string; status: 400 | 403 | 429 } {
  if (error instanceof ProofRefused) return { fault: 'The password or the code is wrong. Try again.', status: 403 }
  if ((error instanceof PasskeysUnavailable || error instanceof TooManyFactors) && error instanceof Problem)
    return { fault: error.declaration.detail, status: 400 }
  return { fault: signInFault(error, now).fault, status: 429 }
}
