import type { Refusal } from '../admit.ts'
import { messagePage, type Page } from './page.ts'

const again = { href: '/signin', text: 'Back to the sign-in page' }

export function singleSignOnAway(name: string): Page {
  return messagePage(
    `${name} does not answer`,
    'It could not be reached, or its answer could not be used. Try again in a minute, or sign in with email and password. Whoever runs this service finds the reason in its log.',
    { status: 502, link: again },
  )
}

/** An answer that belongs to no sign-in of this browser, was used before, or says that the person turned back. */
export function singleSignOnStale(): Page {
  return messagePage(
    'The sign-in was not finished',
    'It was begun in another browser, took too long, was finished before, or was turned down. Nothing was done. Begin again.',
    { status: 400, link: again },
  )
}

const reasons: Record<Refusal, string> = {
  unverified:
    'It does not say that your email address is yours. Confirm the address there, or sign in here with email and password.',
  stranger: 'Nobody here knows your email address yet. Ask an owner of your organisation for an invite.',
  'has-password':
    'There is an account with your email address and a password. Sign in with the password first, then with single sign-on in the same browser: from then on either works.',
  'other-identity':
    'The account with your email address belongs to another identity. Ask an owner of your organisation.',
}

export function singleSignOnRefused(name: string, reason: Refusal): Page {
  return messagePage(`${name} is not enough to let you in`, reasons[reason], { status: 403, link: again })
}
