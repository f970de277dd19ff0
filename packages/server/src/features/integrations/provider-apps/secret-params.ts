import { allWebhooks, type Catalogue, handshakeTokens, keySource, type ProviderEntry } from '@mortise/providers'
import type { Database } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { openClientSecret } from './client-secret.ts'
import type { ProviderAppMetadata, ProviderAppRow } from './model.ts'
import { listAppsWithParams, lockProviderApp, replaceParams } from './store.ts'

type EncryptedApp = Pick<ProviderAppRow, 'project_id' | 'id' | 'encrypted_params'>

function encryptedAt({ project_id: project, id: row }: Pick<ProviderAppRow, 'project_id' | 'id'>) {
  return { table: 'provider_apps', project, row, column: 'encrypted_params' }
}

/**
 * Returns the names of a provider's `providerParams` that are secrets: the key that signs its events, and inputs that
 * its file declares as secret.
 */
function secretNames(entry: ProviderEntry): Set<string> {
  const asked = entry.authentication.flatMap((scheme) => (scheme.scheme === 'custom' ? (scheme.appInputs ?? []) : []))
  const names = asked.filter(({ fieldType }) => fieldType === 'secret').map(({ name }) => name)
  for (const { name, secret } of entry.appMetadata?.providerParams ?? []) if (secret === true) names.push(name)
  for (const webhooks of allWebhooks(entry)) {
    names.push(...handshakeTokens(webhooks))
    // A public key need not be secret.
    if ('key' in webhooks.verify) continue
    const source = keySource(webhooks.verify)
    if (source.from === 'app' && source.name !== undefined) names.push(source.name)
  }
  return new Set(names)
}

/**
 * Removes the secrets from the metadata of an app, to store them encrypted. Stored secrets that are not named stay. An
 * empty text deletes one.
 *
 * @throws UnknownEncryptionKey, DecryptionFailed
 */
export function withoutSecrets(
  { catalogue, keyring }: { catalogue: Catalogue; keyring: Keyring },
  app: EncryptedApp & { provider: string },
  metadata: ProviderAppMetadata | null,
): { metadata: ProviderAppMetadata | null; encryptedParams: string | null } {
  const entry = catalogue.find(app.provider)
  const names = entry ? secretNames(entry) : new Set<string>()
  const params = Object.entries(metadata?.providerParams ?? {})
  const sent = params.filter(([name]) => names.has(name))
  if (sent.length === 0) return { metadata, encryptedParams: app.encrypted_params }
  const secrets = Object.entries({ ...openParams(keyring, app), ...Object.fromEntries(sent) })
  const kept = secrets.filter(([, value]) => value !== '')
  const shown = Object.fromEntries(params.filter(([name]) => !names.has(name)))
  return {
    metadata: { ...metadata, providerParams: shown },
    encryptedParams:
      kept.length === 0
        ? null
        : createEnvelope(keyring).encrypt(JSON.stringify(Object.fromEntries(kept)), encryptedAt(app)),
  }
}

/**
 * Encrypts secrets that an earlier release stored as plain metadata. Every node does so before it accepts requests.
 * Encrypted values stay as they are.
 *
 * @throws UnknownEncryptionKey, DecryptionFailed
 */
export async function encryptStoredSecrets(services: {
  database: Database
  catalogue: Catalogue
  keyring: Keyring
  log: Logger
}): Promise<void> {
  const { database, catalogue, log } = services
  for (const { projectId, id, provider, names } of await listAppsWithParams(database.system)) {
    const entry = catalogue.find(provider)
    const secrets = entry ? secretNames(entry) : new Set<string>()
    if (!names.some((name) => secrets.has(name))) continue
    await database.forProject(projectId).transaction(async (tx) => {
      const row = await lockProviderApp(tx, id)
      if (row) await replaceParams(tx, id, withoutSecrets(services, row, row.metadata))
    })
    log.info({ projectId, providerAppId: id }, 'encrypted secrets of a provider app')
  }
}

function openParams(keyring: Keyring, app: EncryptedApp): Record<string, string> {
  if (app.encrypted_params === null) return {}
  return JSON.parse(createEnvelope(keyring).open(app.encrypted_params, encryptedAt(app)).toString()) as Record<
    string,
    string
  >
}

/**
 * Returns all `providerParams` of an app, secret or not.
 *
 * @throws UnknownEncryptionKey, DecryptionFailed
 */
export function allParams(
  keyring: Keyring,
  app: EncryptedApp & { metadata: ProviderAppMetadata | null },
): Record<string, string> {
  return { ...app.metadata?.providerParams, ...openParams(keyring, app) }
}

/**
 * Returns a value of an app by its name: `clientId`, `clientSecret`, or one of its `providerParams`.
 *
 * @throws UnknownEncryptionKey, DecryptionFailed
 */
export function appValue(keyring: Keyring, app: ProviderAppRow, name: string): string | undefined {
  if (name === 'clientId') return app.client_id
  if (name === 'clientSecret') return openClientSecret(keyring, app)
  for (const params of [openParams(keyring, app), app.metadata?.providerParams ?? {}])
    if (Object.hasOwn(params, name)) return params[name]
  return undefined
}
