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
