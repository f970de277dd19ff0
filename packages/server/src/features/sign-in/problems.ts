import { problem } from '../../kernel/http/index.ts'

export const SignInRefused = problem({
  code: 'sign-in-refused',
  status: 401,
  title: 'Not signed in',
  detail: 'There is no account with this email and password.',
  remedy: 'Check both; an owner of your organisation can invite you again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SessionEnded = problem({
  code: 'session-ended',
  status: 401,
  title: 'The session has ended',
  detail: 'The token is unknown, was used before, or belongs to a session that has ended.',
  remedy: 'Sign in again.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SignInCodeRefused = problem({
  code: 'sign-in-code-refused',
  status: 401,
  title: 'The code is not accepted',
  detail: 'The code is unknown, was used before, is older than a minute, or was made for another verifier.',
  remedy: 'Begin the sign-in again.',
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
  remedy: 'Look for the last mail, or wait until the time in `retryAfter`.',
  retryable: true,
  subsystem: 'sign-in',
})

export const MailNotSetUp = problem({
  code: 'mail-not-set-up',
  status: 409,
  title: 'This service sends no mail',
  detail: 'A link to reset a password cannot be mailed, because the service has no mail server.',
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
  title: 'The person belongs to another organization, too',
  detail:
    'A link would let an owner of one organization into the others, so it is only made for people who belong to yours alone.',
  remedy: 'Ask the operator of this service to set up mail. The person can then reset the password without you.',
  retryable: false,
  subsystem: 'sign-in',
})

export const SignsInElsewhere = problem({
  code: 'signs-in-elsewhere',
  status: 409,
  title: 'The person signs in with single sign-on',
  detail: 'The account belongs to an identity provider, so an owner cannot set its password.',
  remedy: 'Ask the person to sign in with single sign-on.',
  retryable: false,
  subsystem: 'sign-in',
})
