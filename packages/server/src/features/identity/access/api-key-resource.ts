import type { Static } from 'typebox'
import { isId } from '../../../kernel/db/index.ts'
import { createEnvelope, hashApiKey, type Keyring } from '../../../kernel/encryption/index.ts'
import { canBeApiKey } from './key-form.ts'
import type { ApiKey } from './model.ts'
import { ApiKeyNotFound } from './problems.ts'
import type { ApiKeyName, ApiKeyRow } from './store.ts'

/**
 * Returns the key name in a path value: an id, or the hashes of a key, as authentication computes them.
 * @throws ApiKeyNotFound
 */
export function apiKeyName(keyring: Pick<Keyring, 'deriveAll'>, text: string): ApiKeyName {
  if (isId(text)) return { id: text }
  if (!canBeApiKey(text)) throw apiKeyNotFound()
  return { hashes: keyring.deriveAll('api-key-pepper').map((pepper) => hashApiKey(pepper, text)) }
}

/**
 * Returns the same problem for an unknown key, a deleted one, and one of another project. It does not repeat the
 * requested value, which may be a secret.
 */
export function apiKeyNotFound() {
  const detail = 'This project has no such API key.'
  return new ApiKeyNotFound({ issues: [{ in: 'path', name: 'apiKey', detail }] })
}

/** Returns a key as lists show it, with its hint in place of the secret (decision 0011). */
export function listedApiKey(row: ApiKeyRow): Static<typeof ApiKey> {
  return {
    key: row.hint,
    label: row.label,
    scopes: row.scopes,
    projectId: row.project_id,
    active: row.active,
    id: row.id,
    hint: row.hint,
    createdBy: row.created_by,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}

/** Returns a key with its secret, for callers that request this key. */
export function apiKeyResource(keyring: Keyring, row: ApiKeyRow): Static<typeof ApiKey> {
  const encryptedAt = { table: 'api_keys', project: row.project_id, row: row.id, column: 'encrypted' }
  return { ...listedApiKey(row), key: createEnvelope(keyring).open(row.encrypted, encryptedAt).toString() }
}
