import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type AccountClaims } from 'oidc-provider'
import { openBrowser } from '../../testkit/browser.ts'

/** A certified provider of identities, by others, in which everybody consents to everything. */
export interface IdentityProvider {
  issuer: string
  /** What it says of a person, by `sub`. */
  people: Map<string, Omit<AccountClaims, 'sub'>>
  /** What a browser comes back with when this person signs in there: path and query on the service. */
  signIn(authorizationUrl: string, sub: string): Promise<string>
  /** It answers nothing until `up()`. */
  down(): void
  up(): void
  close(): Promise<void>
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

export const clientSecret = 'a secret between the two of them'

export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  let listener: Listener = (_, response) => response.destroy()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people: IdentityProvider['people'] = new Map()
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'mortise', client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['of the test'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' } as never] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  const working: Listener = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response)
    const accountId = String(request.headers['x-person'])
    void provider.interactionFinished(request, response, { login: { accountId } }, { mergeWithLastSubmission: false })
  }
  listener = working
  return {
    issuer,
    people,
    async signIn(authorizationUrl, sub) {
      const browser = openBrowser(issuer, { 'x-person': sub })
      let location = authorizationUrl
      for (let hops = 0; hops < 6; hops++) {
        const answer = await browser.get(location)
        if (answer.location === null) throw new Error(`the provider stops at ${location}: ${answer.text}`)
        location = new URL(answer.location, issuer).href
        if (location.startsWith(redirectUri)) return location.slice(new URL(redirectUri).origin.length)
      }
      throw new Error(`the provider goes round in circles: ${location}`)
    },
    down() {
      listener = (_, response) => response.destroy()
    },
    up() {
      listener = working
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
