import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import type { TargetAnswer, TargetRequest } from './http-target.testkit.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const publicPem = publicKey.export({ type: 'spki', format: 'pem' })

export const googleSecret = '5b1d0f4c2a9e47d8b3c6a1f0e9d8c7b6a5f4e3d2'
const clientEmail = 'mortise@events.iam.gserviceaccount.com'

/** The key file of a service account. */
export function googleCredentials(tokenUrl = 'https://oauth2.googleapis.com/token'): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'events',
    private_key_id: googleSecret,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: clientEmail,
    token_uri: tokenUrl,
  })
}

/** Answers of Google that accept nothing. */
export const googleFailures: Record<string, TargetAnswer> = {
  'may not': { status: 403, body: '{"error":{"code":403,"status":"PERMISSION_DENIED"}}' },
}

/** Answers of Google that give no token. */
export const googleTokenFailures: Record<string, TargetAnswer> = {
  'knows no such account': { status: 400, body: '{"error":"invalid_grant"}' },
  'gives a token that is no text': { status: 200, body: '{"access_token":7,"expires_in":3599}' },
  'gives a page in place of a token': { status: 200, body: '<html>Sign in</html>' },
  'gives an empty answer in place of a token': { status: 200 },
  'gives a token that needs a proof': { status: 200, body: '{"access_token":"a","token_type":"DPoP"}' },
  'has no token at the moment': { status: 503, body: '{"error":"temporarily_unavailable"}' },
}

/** Plays the token endpoint, and an API behind it that takes each token a number of times. */
export function createGoogle(scope: string, tokenUses = Number.POSITIVE_INFINITY) {
  const uses = new Map<string, number>()
  return {
    /** Number of tokens that were given. */
    tokens: () => uses.size,
    /** Answers a request for a token, or one without a valid token. Undefined if the API may answer. */
    async gate({ method, path, headers, body }: TargetRequest): Promise<TargetAnswer | undefined> {
      if (path === '/token') {
        const form = new URLSearchParams(body.toString())
        const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', createPublicKey(publicPem), {
          issuer: clientEmail,
          audience: `http://${headers['host']}/token`,
          algorithms: ['RS256'],
        })
        const isWhole =
          method === 'POST' &&
          headers['content-type'] === 'application/x-www-form-urlencoded' &&
          form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
          protectedHeader.kid === googleSecret &&
          payload['scope'] === scope &&
          (payload.exp ?? 0) - (payload.iat ?? 0) === 3_600
        if (!isWhole) return { status: 400, body: '{"error":"invalid_request"}' }
        const token = `ya29.token-of-the-fake-${uses.size}`
        uses.set(token, 0)
        return { status: 200, body: JSON.stringify({ access_token: token, expires_in: 3599, token_type: 'Bearer' }) }
      }
      const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? ''
      const used = uses.get(token)
      if (used === undefined || used >= tokenUses)
        return { status: 401, body: '{"error":{"code":401,"status":"UNAUTHENTICATED"}}' }
      uses.set(token, used + 1)
      return undefined
    },
  }
}
