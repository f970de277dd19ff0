import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { apiKeyName, apiKeyNotFound } from '../api-key-resource.ts'
import { ApiKeyNotFound } from '../problems.ts'
import { deleteApiKeyRow } from '../store.ts'
import { apiKeyPath } from './get-api-key.ts'

export const deleteApiKey = endpoint({
  id: 'deleteApiKey',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/api-keys/{apiKey}',
  access: 'develop',
  summary: 'Delete an API key, even the one of the request.',
  description: 'It stops working immediately on the node that responds, within five seconds on every other.',
  tag: 'API keys',
  params: apiKeyPath,
  reply: { 204: Empty },
  problems: [ApiKeyNotFound],
  run: async ({ db, params }, services: { keyring: Keyring; pubsub: PubSub }) => {
    if (!(await deleteApiKeyRow(db, apiKeyName(services.keyring, params.apiKey)))) throw apiKeyNotFound()
    services.pubsub.notifyLocal(credentialsTopic, { table: 'api_keys' })
    return reply(204, null)
  },
})
