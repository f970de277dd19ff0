import { randomUUID, type webcrypto } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type AccountClaims } from 'oidc-provider'
import { openBrowser } from '../../../testkit/browser.ts'

/** A certified provider of identities, by others, in which everybody consents to everything. */
export interface IdentityProvider {
  issuer: string
  /** What it says of a person, by `sub`. */
  people: Map<string, Omit<AccountClaims, 'sub'>>
  /** What a browser comes back with when this person signs in there: path and query on the service. */
  signIn(authorizationUrl: string, sub: string): Promise<string>
  /** The key that it signs with now. */
  key(): SigningKey
  /** Signs with a new key from now on, and publishes that one alone. */
  rotate(): Promise<void>
  /** Changes ID tokens on their way out, as whoever sits between the two could; undefined for no change. */
  forge: ((idToken: string) => Promise<string>) | undefined
  /** What `/jwks` answers instead of the keys; undefined for the keys. */
  jwks: Listener | undefined
  /** It answers nothing until `up()`. */
  down(): void
  up(): void
  close(): Promise<void>
}

export interface SigningKey {
  kid: string
  privateKey: webcrypto.CryptoKey
  publicKey: webcrypto.CryptoKey
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

export const clientSecret = 'a secret between the two of them'

export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  let listener: Listener = (_, response) => response.destroy()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people: IdentityProvider['people'] = new Map()
  let key: SigningKey
  const configured = async () =>
    new Provider(issuer, {
      clients: [{ client_id: 'mortise', client_secret: clientSecret, redirect_uris: [redirectUri] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      cookies: { keys: ['of the test'] },
      jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: key.kid, alg: 'RS256', use: 'sig' } as never] },
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
  let provider: Provider
  const rotate = async () => {
    key = { kid: randomUUID(), ...(await generateKeyPair('RS256', { extractable: true })) }
    provider = await configured()
  }
  await rotate()
  const working: Listener = (request, response) => {
    if (request.url === '/jwks' && self.jwks) return self.jwks(request, response)
    if (request.url === '/token' && self.forge) forgeAnswer(response, self.forge)
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response)
    const accountId = String(request.headers['x-person'])
    void provider.interactionFinished(request, response, { login: { accountId } }, { mergeWithLastSubmission: false })
  }
  listener = working
  const self: IdentityProvider = {
    issuer,
    people,
    key: () => key,
    rotate,
    forge: undefined,
    jwks: undefined,
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
  return self
}

/** Changes the ID token in the body that is about to be sent. */
function forgeAnswer(response: ServerResponse, forge: (idToken: string) => Promise<string>): void {
  const end = response.end.bind(response) as (body: string) => void
  response.end = ((body: string | Buffer) => {
    const answer = JSON.parse(body.toString())
    void forge(answer.id_token).then((idToken) => {
      const forged = JSON.stringify({ ...answer, id_token: idToken })
      response.setHeader('content-length', Buffer.byteLength(forged))
      end(forged)
    })
    return response
  }) as ServerResponse['end']
}
