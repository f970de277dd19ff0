import { jobReference } from '../../../kernel/jobs/index.ts'

/** Failed attempts to sign in to an account. */
export interface SignInWarning {
  /** Of the account, normalized; perhaps nobody's. */
  email: string
  /** Where the last attempt came from. */
  address: string
  attempts: number
  /** Within how long they came. */
  minutes: number
  /** When sign-in from unknown networks was paused. */
  time: string
  /** The attempts were at the second factor, after the right password. */
  knowsPassword?: boolean
}

/** What changed about the factors of a person. */
export interface FactorChange {
  builderId: string
  change: 'added' | 'removed' | 'all-removed' | 'recovery-codes'
  /** Name of the factor. */
  name?: string
  time: string
}

/** Mails a person that their second factors changed. */
export const confirmFactorChange = jobReference<FactorChange>('sign-in.confirm-factor-change')

/** Mails a person that their password changed. */
export const confirmPasswordChange = jobReference<{ builderId: string; time: string }>(
  'sign-in.confirm-password-change',
)

/** Mails a link that resets the password of the account with this address. */
export const sendPasswordReset = jobReference<{ email: string }>('sign-in.send-password-reset')

/** Mails the owner of an account that somebody guesses its password. */
export const warnOwner = jobReference<SignInWarning>('sign-in.warn-owner')
