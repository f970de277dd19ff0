import { problem } from '../../../kernel/http/index.ts'

export const SignInRefused = problem({
  code: 'sign-in-refused',
  status: 401,
  title: 'Not signed in',
  detail: 'The email or the password is wrong.',
  remedy: 'Check both. An owner of your organization can invite you again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SessionEnded = problem({
  code: 'session-ended',
  status: 401,
  title: 'The session has ended',
  detail: 'The token is unknown or was already used, or its session has ended.',
  remedy: 'Sign in again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SignInCodeRefused = problem({
  code: 'sign-in-code-refused',
  status: 401,
  title: 'The code is not valid',
  detail: 'The code is unknown, was already used, is older than a minute, or belongs to another verifier.',
  remedy: 'Start the sign-in again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const TooManyAttempts = problem({
  code: 'too-many-attempts',
  status: 429,
  title: 'Too many attempts to sign in',
  detail: 'There were too many attempts to sign in with this email or from this address.',
  remedy: 'Wait until the time in `retryAfter`, then try again.',
  retryable: true,
  subsystem: 'sign-in',
})

export const TooManyPasswordResets = problem({
  code: 'too-many-password-resets',
  status: 429,
  title: 'Too many requests to reset a password',
  detail: 'Too many links were requested for this email or from this address.',
  remedy: 'Look for the last email, or wait until the time in `retryAfter`.',
  retryable: true,
  subsystem: 'sign-in',
})

export const MailNotSetUp = problem({
  code: 'mail-not-set-up',
  status: 409,
  title: 'This service sends no email',
  detail: 'The service has no mail server, so it cannot send a link to reset the password.',
  remedy: 'Ask an owner of your organization for a link.',
  retryable: false,
  subsystem: 'sign-in',
})

export const ResetLinkRefused = problem({
  code: 'reset-link-refused',
  status: 401,
  title: 'This link is not valid',
  detail: 'The link was used, has expired, was replaced by a newer one, or is incomplete.',
  remedy: 'Request a new link.',
  retryable: false,
  subsystem: 'sign-in',
})

export const MemberOfOtherOrg = problem({
  code: 'member-of-other-org',
  status: 409,
  title: 'The person also belongs to another organization',
  detail:
    'A link would let an owner of one organization into the others. You can create one only for people who belong to yours alone.',
  remedy: 'Ask the operator of this service to set up email. The person can then reset the password without you.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SignsInElsewhere = problem({
  code: 'signs-in-elsewhere',
  status: 409,
  title: 'The person uses single sign-on',
  detail: 'An identity provider manages the account, so an owner cannot set its password.',
  remedy: 'Ask the person to use single sign-on.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SecondFactorRequired = problem({
  code: 'second-factor-required',
  status: 401,
  title: 'A second factor is required',
  detail: 'The password is right, and the account has a second factor. `context.factors` lists the kinds.',
  remedy:
    'Send the request again with `code`: the code of the authenticator app, or a recovery code. For a passkey, sign in at /signin.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SecondFactorRefused = problem({
  code: 'second-factor-refused',
  status: 401,
  title: 'The second factor was not accepted',
  detail: 'The code is wrong, has expired, or was already used.',
  remedy: 'Wait for the next code of the app and send it, or send a recovery code that you have not used.',
  retryable: false,
  subsystem: 'sign-in',
})

export const ProofRequired = problem({
  code: 'proof-required',
  status: 403,
  title: 'Prove that it is you',
  detail: 'You can change factors within ten minutes after you entered your password or a code in this session.',
  remedy: 'Send your password or a code to POST /v1/my-info/proof, then send the request again. Or sign in again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const ProofRefused = problem({
  code: 'proof-refused',
  status: 403,
  title: 'The proof was not accepted',
  detail: 'The password or the code is wrong, or the code was already used.',
  remedy: 'Check it. An account of single sign-on without factors has neither: sign in again instead.',
  retryable: false,
  subsystem: 'sign-in',
})

export const FactorNotFound = problem({
  code: 'factor-not-found',
  status: 404,
  title: 'Factor not found',
  detail: 'You have no factor with this id.',
  remedy: 'List your factors to find the id.',
  retryable: false,
  subsystem: 'sign-in',
})

export const FactorNotBegun = problem({
  code: 'factor-not-begun',
  status: 409,
  title: 'No factor is being set up',
  detail: 'You did not begin to set up a factor of this kind in this session, or more than ten minutes ago.',
  remedy: 'Begin again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const FactorRefused = problem({
  code: 'factor-refused',
  status: 400,
  title: 'The factor was not confirmed',
  detail: 'The code or the response of the passkey does not belong to the factor that you began to set up.',
  remedy: 'Enter the current code of the app and check the time of your device, or try the passkey again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const TooManyFactors = problem({
  code: 'too-many-factors',
  status: 409,
  title: 'Too many factors',
  detail: 'An account can have ten factors.',
  remedy: 'Remove a factor that you no longer use.',
  retryable: false,
  subsystem: 'sign-in',
})

export const NoFactors = problem({
  code: 'no-factors',
  status: 409,
  title: 'There is no factor yet',
  detail: 'Recovery codes replace a factor that you lost, and the account has none.',
  remedy: 'Set up an authenticator app or a passkey first.',
  retryable: false,
  subsystem: 'sign-in',
})

export const PasskeysUnavailable = problem({
  code: 'passkeys-unavailable',
  status: 409,
  title: 'Passkeys do not work at this address',
  detail: 'Browsers allow passkeys only at a host name over https, and at localhost.',
  remedy: 'Use an authenticator app, or ask the operator to set MORTISE_PUBLIC_URL to an https address.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SessionNotFound = problem({
  code: 'session-not-found',
  status: 404,
  title: 'Session not found',
  detail: 'You have no session with this id.',
  remedy: 'List your sessions to find the id.',
  retryable: false,
  subsystem: 'sign-in',
})
