import { Type } from 'typebox'
import { endpoint, FreeForm, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'

export const listTokenKeys = endpoint({
  id: 'listTokenKeys',
  method: 'GET',
  path: '//.well-known/jwks.json',
  access: 'public',
  summary: 'The public keys that verify builders’ tokens, as a JWK Set.',
  tag: 'Sign-in',
  extension: true,
  reply: { 200: Type.Object({ keys: Type.Array(FreeForm, { description: 'RSA keys (RFC 7517).' }) }) },
  run: async (_, { builderTokens }: { builderTokens: BuilderTokens }) =>
    reply(200, (await builderTokens.publicKeys()) as { keys: Record<string, unknown>[] }, {
      'cache-control': 'public, max-age=60',
    }),
})
