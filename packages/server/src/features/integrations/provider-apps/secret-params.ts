import { keySource, type ProviderEntry } from '@mortise/providers'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import type { Services } from '../../../services.ts'
import { openClientSecret } from './client-secret.ts'
import type { ProviderAppMetadata, ProviderAppRow } from './model.ts'
import { listAppsWithParams, lockProviderApp, replaceParams } from './store.ts'

type SealedApp = Pick<ProviderAppRow, 'project_id' | 'id' | 'sealed_params'>

function sealedAt({ project_id: project, id: row }: Pick<ProviderAppRow, 'project_id' | 'id'>) {
  return { table: 'provider_apps', project, row, column: 'sealed_params' }
}

/**
 * Names of the `providerParams` of a provider that are secrets: what signs its events, and what its file asks for as
 * one.
 */
function secretNames(entry: ProviderEntry): Set<string> {
  const asked = entry.authentication.flatMap((scheme) => (scheme.scheme === 'custom' ? (scheme.appInputs ?? []) : []))
  const names = asked.filter(({ fieldType }) => fieldType === 'secret').map(({ name }) => name)
  const verify = entry.file?.webhooks?.verify
  // A public key is no secret.
  if (verify === undefined || verify.by === 'jwt') return new Set(names)
  const source = keySource(verify)
  return new Set(source.from === 'app' && source.name !== undefined ? [...names, source.name] : names)
}

/**
 * Takes the secrets out of the metadata of an app, to be stored sealed. Those that were stored and are not named stay;
 * an empty text takes one away.
 *
 * @throws UnknownSealKey, SealBroken
 */
export function withoutSecrets(
  { catalogue, keyring }: Pick<Services, 'catalogue' | 'keyring'>,
  app: SealedApp & { provider: string },
  metadata: ProviderAppMetadata | null,
): { metadata: ProviderAppMetadata | null; sealedParams: string | null } {
  const entry = catalogue.find(app.provider)
  const names = entry ? secretNames(entry) : new Set<string>()
  const params = Object.entries(metadata?.providerParams ?? {})
  const given = params.filter(([name]) => names.has(name))
  if (given.length === 0) return { metadata, sealedParams: app.sealed_params }
  const secrets = Object.entries({ ...openParams(keyring, app), ...Object.fromEntries(given) })
  const kept = secrets.filter(([, value]) => value !== '')
  const shown = Object.fromEntries(params.filter(([name]) => !names.has(name)))
  return {
    metadata: { ...metadata, providerParams: shown },
    sealedParams:
      kept.length === 0 ? null : createEnvelope(keyring).seal(JSON.stringify(Object.fromEntries(kept)), sealedAt(app)),
  }
}

/**
 * Seals the secrets that an earlier release stored among what lists show. Every node does so before it answers anybody;
 * what is sealed stays as it is.
 *
 * @throws UnknownSealKey, SealBroken
 */
export async function sealStoredSecrets(
  services: Pick<Services, 'database' | 'catalogue' | 'keyring' | 'log'>,
): Promise<void> {
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

function openParams(keyring: Keyring, app: SealedApp): Record<string, string> {
  if (app.sealed_params === null) return {}
  return JSON.parse(createEnvelope(keyring).open(app.sealed_params, sealedAt(app)).toString()) as Record<string, string>
}

/**
 * A value of an app by its name: `clientId`, `clientSecret`, or one of its `providerParams`.
 *
 * @throws UnknownSealKey, SealBroken
 */
export function appValue(keyring: Keyring, app: ProviderAppRow, name: string): string | undefined {
  if (name === 'clientId') return app.client_id
  if (name === 'clientSecret') return openClientSecret(keyring, app)
  for (const params of [openParams(keyring, app), app.metadata?.providerParams ?? {}])
    if (Object.hasOwn(params, name)) return params[name]
  return undefined
}
