import type { Refusal } from '../find-or-create-builder.ts'
import { messagePage, type Page } from './page.ts'

const again = { href: '/signin', text: 'Back to sign in' }

export function singleSignOnAway(name: string): Page {
  return messagePage(
    `${name} is not available`,
    'We could not reach it, or could not use its response. Try again in a minute, or sign in with email and password. The operator of this service can find the reason in its log.',
    { status: 502, link: again },
  )
}

/** An answer that belongs to no sign-in of this browser, was used before, or says that the person turned back. */
export function singleSignOnStale(): Page {
  return messagePage(
    'Sign-in not completed',
    'It was started in another browser, took too long, was already completed, or was declined. Nothing was changed. Start again.',
    { status: 400, link: again },
  )
}

const reasons: Record<Refusal, string> = {
  unverified:
    'It has not verified your email address. Verify the address there, or sign in here with email and password.',
  stranger: 'There is no account with your email address. Ask an owner of your organization for an invite.',
  'has-password':
    'The account with your email address has a password. Sign in with the password first, then with single sign-on in the same browser. From then on, both work.',
  'other-identity':
    'The account with your email address belongs to another identity. Ask an owner of your organization.',
}

export function singleSignOnRefused(name: string, reason: Refusal): Page {
  return messagePage(`You cannot sign in with ${name} yet`, reasons[reason], { status: 403, link: again })
}
