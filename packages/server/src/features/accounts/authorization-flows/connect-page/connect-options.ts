import { type Catalogue, type ProviderEntry, withScheme } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { findProviderApp } from '../../../integrations/provider-apps/index.ts'
import { metadataValues } from '../../connection-inputs/index.ts'
import { type ConnectionRow, findConnection } from '../../connections/index.ts'
import { findCustomApp, oauth2Scheme } from '../../tokens/index.ts'
import type { ConnectPurpose } from './connect-session.ts'
import { type AuthenticationMethod, type Field, type MethodKey, metadataFields, methodsOf } from './methods.ts'

/** The authentication methods that a page can offer in this project at this moment. */
export interface ConnectOptions {
  entry: ProviderEntry
  /** The connection that gets a new credential. */
  known: ConnectionRow | undefined
  methods: AuthenticationMethod[]
}

/** Returns what the page can offer; undefined if the provider or the connection no longer exists. */
export async function connectOptions(
  db: ProjectDb,
  services: { catalogue: Catalogue; keyring: Keyring },
  purpose: ConnectPurpose,
): Promise<ConnectOptions | undefined> {
  const entry = services.catalogue.find(purpose.provider)
  const known = purpose.connectionId === undefined ? undefined : await findConnection(db, purpose.connectionId)
  if (!entry || (purpose.connectionId !== undefined && !known)) return undefined
  const methods: AuthenticationMethod[] = []
  const matching = methodsOf(entry).filter(({ scheme }) => !purpose.schemeName || scheme === purpose.schemeName)
  for (const method of matching) if (await isOpen(db, services, entry, purpose, method)) methods.push(method)
  const sameKind = known && methods.filter(({ key }) => methodsOfScheme(known.auth_scheme).includes(key))
  const sameScheme = sameKind?.filter(({ scheme }) => scheme === known?.scheme_name)
  const fitting = sameScheme && sameScheme.length > 0 ? sameScheme : sameKind
  return { entry, known, methods: fitting && fitting.length > 0 ? fitting : methods }
}

/**
 * Returns the fields that the page shows in addition to the credential. A reconnected account keeps its workspace. Its
 * other values are shown, so that the customer can correct them.
 */
export function accountFields({ entry, known }: ConnectOptions, method: AuthenticationMethod): Field[] {
  const fields = metadataFields(entry)
  if (!known) return fields
  if (method.key === 'oauth2') return []
  const values = metadataValues(known.provider_metadata)
  return fields
    .filter(({ name }) => known.provider_workspace_ref === null || name !== 'providerMetadata.workspace')
    .map((field) => {
      const initial = values[field.name.slice('providerMetadata.'.length)] ?? field.initial
      return { ...field, ...(initial !== undefined && { initial }) }
    })
}

async function isOpen(
  db: ProjectDb,
  services: { keyring: Keyring },
  entry: ProviderEntry,
  { providerAppId: id }: ConnectPurpose,
  { key, scheme }: AuthenticationMethod,
): Promise<boolean> {
  if (key === 'oauth2') {
    const needsApp = id !== undefined || oauth2Scheme(withScheme(entry, scheme) ?? entry)?.discover === undefined
    return !needsApp || (await findProviderApp(db, { id, provider: entry.name })) !== undefined
  }
  if (key === 'conversation')
    return (await findCustomApp(db, services, withScheme(entry, scheme) ?? entry, id)).missing.length === 0
  return true
}

function methodsOfScheme(scheme: ConnectionRow['auth_scheme']): MethodKey[] {
  switch (scheme) {
    case 'none':
      return ['none']
    // Custom inputs appear as `apiKey`, because the enum of the interface has no value for them.
    case 'apiKey':
      return ['apiKey', 'customAuth', 'conversation']
    case 'basic':
      return ['basicAuth']
    case 'oauth2/clientCredentials':
      return ['oauth2ClientCredentials']
    case 'oauth2/password':
      return ['oauth2PasswordCredentials']
    case 'oauth2/authorizationCode':
    case 'oauth2/authorizationCodePKCE':
      return ['oauth2']
  }
}
