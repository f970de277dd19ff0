import { Type } from 'typebox'
import { endpoint, reply, secret } from '../../../../kernel/http/index.ts'
import { type ExchangeServices, exchangeCode, verifierPattern } from '../cli-code.ts'
import { SessionTokens, SubmittedToken } from '../model.ts'
import { SignInCodeRefused } from '../problems.ts'
import { sessionTokens } from '../session-tokens.ts'
import { signedIn } from '../signed-in.ts'

export const exchangeSignInCode = endpoint({
  id: 'exchangeSignInCode',
  method: 'POST',
  path: '/sessions:exchange',
  access: 'public',
  summary: 'Exchange the code of a command-line sign-in for tokens.',
  description:
    'The code works once and for a minute, together with the verifier whose challenge the page `/signin/cli` was opened with (RFC 7636, S256). A second use ends the session that the first one started.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'signIn', resource: 'session' },
  body: Type.Object({
    code: SubmittedToken('The code from the redirect.'),
    verifier: secret(
      Type.String({ pattern: verifierPattern, description: 'The verifier, 43 to 128 unreserved characters.' }),
    ),
  }),
  reply: { 200: SessionTokens },
  problems: [SignInCodeRefused],
  run: async ({ body, address, headers, note }, services: ExchangeServices) => {
    const origin = { address, userAgent: headers['user-agent']?.toString() }
    const session = await exchangeCode(services, { ...body, origin })
    if (!session) throw new SignInCodeRefused()
    note(signedIn({ id: session.builderId, email: session.email }))
    return reply(200, await sessionTokens(services, session))
  },
})
