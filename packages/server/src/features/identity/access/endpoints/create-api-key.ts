import type { NewId } from '../../../../kernel/db/index.ts'
import { createEnvelope, generateApiKey, hashApiKey, type Keyring } from '../../../../kernel/encryption/index.ts'
import { authorOf, endpoint, ProjectPath, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { apiKeyNotFound, apiKeyResource } from '../api-key-resource.ts'
import { hintOf } from '../key-form.ts'
import { ApiKey, ApiKeyRequest, apiKeysMax, scopeIssues } from '../model.ts'
import { ApiKeyNotFound, TooManyKeys } from '../problems.ts'
import { countApiKeys, findApiKey, insertApiKey } from '../store.ts'

export const createApiKey = endpoint({
  id: 'createApiKey',
  method: 'POST',
  path: '/projects/{projectIdOrName}/api-keys',
  access: 'develop',
  summary: 'Create an API key.',
  tag: 'API keys',
  params: ProjectPath,
  body: ApiKeyRequest,
  reply: { 201: ApiKey },
  problems: [UnacceptableInput, TooManyKeys, ApiKeyNotFound],
  run: async ({ db, body, caller }, { keyring, newId }: { keyring: Keyring; newId: NewId }) => {
    const scopes = [...new Set(body.scopes ?? ['full'])]
    const issues = scopeIssues(scopes, 'scopes')
    if (issues.length > 0) throw new UnacceptableInput({ issues })
    if ((await countApiKeys(db)) >= apiKeysMax) throw new TooManyKeys()
    const key = generateApiKey()
    const id = newId()
    const encryptedAt = { table: 'api_keys', project: db.projectId, row: id, column: 'encrypted' }
    await insertApiKey(db.sql, {
      project_id: db.projectId,
      id,
      label: body.label,
      scopes,
      hash: hashApiKey(keyring.derive('api-key-pepper'), key),
      encrypted: createEnvelope(keyring).encrypt(key, encryptedAt),
      hint: hintOf(key),
      created_by: authorOf(caller),
    })
    const row = await findApiKey(db, { id })
    if (!row) throw apiKeyNotFound()
    return reply(201, apiKeyResource(keyring, row))
  },
})
