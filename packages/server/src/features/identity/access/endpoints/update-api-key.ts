import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, InvalidInput, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { credentialsTopic, type PubSub } from '../../../../kernel/pubsub/index.ts'
import { apiKeyName, apiKeyNotFound, apiKeyResource } from '../api-key-resource.ts'
import { ApiKey, ApiKeyUpdate, labelIssues, maskIssues, missingValues, scopeIssues } from '../model.ts'
import { ApiKeyNotFound } from '../problems.ts'
import { type ApiKeyValues, updateApiKeyRow } from '../store.ts'
import { apiKeyPath } from './get-api-key.ts'

export const updateApiKey = endpoint({
  id: 'updateApiKey',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/api-keys/{apiKey}',
  access: 'develop',
  summary: 'Change the label or the scopes of an API key, or deactivate it.',
  description: 'Takes effect immediately on the node that responds, and within five seconds on every other.',
  tag: 'API keys',
  params: apiKeyPath,
  body: ApiKeyUpdate,
  reply: { 200: ApiKey },
  problems: [ApiKeyNotFound, UnacceptableInput],
  run: async ({ db, params, body }, services: { keyring: Keyring; pubsub: PubSub }) => {
    const values = maskedValues(body)
    const row = await updateApiKeyRow(db, apiKeyName(services.keyring, params.apiKey), values)
    if (!row) throw apiKeyNotFound()
    services.pubsub.notifyLocal(credentialsTopic, { table: 'api_keys' })
    return reply(200, apiKeyResource(services.keyring, row))
  },
})

/** @throws InvalidInput, UnacceptableInput */
function maskedValues({ updateMask, apiKey }: ApiKeyUpdate): ApiKeyValues {
  const listed = <T>(path: string, value: T) => (updateMask.includes(path) ? value : undefined)
  const label = listed('label', apiKey.label)
  const scopes = listed('scopes', apiKey.scopes)
  const wrongMasks = maskIssues(updateMask, ['active', 'label', 'scopes'])
  const issues = [
    ...wrongMasks,
    ...missingValues(
      updateMask.filter((_, at) => !wrongMasks.some(({ name }) => name === `updateMask[${at}]`)),
      'apiKey',
      apiKey,
    ),
    ...(label === undefined ? [] : labelIssues(label, 'apiKey.label')),
  ]
  if (issues.length > 0) throw new InvalidInput({ issues })
  const unknown = scopes === undefined ? [] : scopeIssues(scopes, 'apiKey.scopes')
  if (unknown.length > 0) throw new UnacceptableInput({ issues: unknown })
  return { label, active: listed('active', apiKey.active), scopes: scopes && [...new Set(scopes)] }
}
