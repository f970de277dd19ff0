import { Type } from 'typebox'
import { cliAddress, noCliRequest, readCliRequest } from '../cli-request.ts'
import { shownPage } from '../page-endpoint.ts'
import { consentPage } from '../pages/consent-page.ts'

export const showCliConsentPage = shownPage({
  id: 'showCliConsentPage',
  path: '//signin/cli',
  summary: 'The consent page for a command-line sign-in.',
  description:
    'A command line opens it, and waits at `http://127.0.0.1:{port}/callback` for `code` and `state`; it exchanges the code by `POST /v1/sessions:exchange`.',
  query: {
    port: Type.Optional(Type.String({ description: 'Where the command line waits on this computer.' })),
    challenge: Type.Optional(Type.String({ description: 'SHA-256 of its verifier in base64url (RFC 7636, S256).' })),
    state: Type.Optional(
      Type.String({ description: 'Returned unchanged: 8 to 200 unreserved characters that nobody can guess.' }),
    ),
  },
  run: async ({ query, owner, formToken }) => {
    const request = readCliRequest((name) => query[name])
    if (!request) return noCliRequest()
    const about = { port: String(request.port), challenge: request.challenge, state: request.state }
    if (!owner) return { to: `/signin?${new URLSearchParams({ next: `/signin/cli?${new URLSearchParams(about)}` })}` }
    return consentPage({
      formToken,
      action: '/signin/cli',
      program: 'mortise',
      address: cliAddress(request),
      email: owner.email,
      about,
    })
  },
})
