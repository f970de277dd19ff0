import { hash } from 'node:crypto'

/** What the command line keeps, to exchange the code of its sign-in. */
export const verifier = 'v'.repeat(43)

/** The query with which the command line opens its sign-in page. */
export const cliQuery = {
  port: '51234',
  challenge: hash('sha256', verifier, 'base64url'),
  state: 'a-state-of-the-command-line',
}
export const cliConsentPath = `/signin/cli?${new URLSearchParams(cliQuery)}`
