import { Type } from 'typebox'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, Path, Ref, reply, secret } from '../../../../kernel/http/index.ts'
import { apiKeyName, apiKeyNotFound, apiKeyResource } from '../api-key-resource.ts'
import { ApiKey } from '../model.ts'
import { ApiKeyNotFound } from '../problems.ts'
import { findApiKey } from '../store.ts'

export const apiKeyPath = Path({
  projectIdOrName: Ref,
  apiKey: secret(Type.String({ minLength: 1, maxLength: 512, description: 'The key itself, or its id.' })),
})

export const getApiKey = endpoint({
  id: 'getApiKey',
  method: 'GET',
  path: '/projects/{projectIdOrName}/api-keys/{apiKey}',
  access: 'develop',
  summary: 'Get an API key, with the key itself.',
  description: 'Prefer the id in paths, because proxies may log them.',
  tag: 'API keys',
  params: apiKeyPath,
  reply: { 200: ApiKey },
  problems: [ApiKeyNotFound],
  run: async ({ db, params }, { keyring }: { keyring: Keyring }) => {
    const row = await findApiKey(db, apiKeyName(keyring, params.apiKey))
    if (!row) throw apiKeyNotFound()
    return reply(200, apiKeyResource(keyring, row))
  },
})
