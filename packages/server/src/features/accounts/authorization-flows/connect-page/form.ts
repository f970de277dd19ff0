import { type ProviderEntry, valueFault } from '@mortise/providers'
import type { Issue } from '../../../../kernel/http/index.ts'
import type { GenerateConnectionRequest } from '../../connection-inputs/index.ts'
import type { ConnectPurpose } from './connect-session.ts'
import type { AuthenticationMethod, Field } from './methods.ts'

/** Error messages by name of the field; `''` for the form as a whole. */
export type Faults = ReadonlyMap<string, string>

/** Reads the submitted values: one text for each field of the page. Other names are ignored. */
export function readValues(fields: readonly Field[], form: URLSearchParams): Map<string, string> {
  return new Map(
    fields.map(({ name, trimmed }) => {
      const value = form.get(name) ?? ''
      return [name, trimmed ? value.trim() : value]
    }),
  )
}

/** Validates the values with what the page knows about its fields. */
export function fieldFaults(fields: readonly Field[], values: ReadonlyMap<string, string>): Map<string, string> {
  const faults = new Map<string, string>()
  for (const field of fields) {
    const { name, label, type, options, optional, charactersMax } = field
    const value = values.get(name) ?? ''
    const isText = type === 'text' || type === 'secret'
    const fault = value !== '' && isText ? valueFault(field, value) : undefined
    if (value === '' && !optional) faults.set(name, `${label} is required.`)
    else if (value.length > charactersMax) faults.set(name, `${label} can have at most ${charactersMax} characters.`)
    else if (value !== '' && options && !options.some((option) => option.value === value))
      faults.set(name, 'Choose an option.')
    else if (fault !== undefined) faults.set(name, fault)
  }
  return faults
}

/** Maps the issues of a request to the fields that they concern. The first issue without a field appears at the top. */
export function faultsOf(issues: readonly Issue[], fields: readonly Field[]): Map<string, string> {
  const faults = new Map<string, string>()
  for (const { name, detail } of issues) {
    const fieldName = name === 'providerWorkspaceRef' ? 'providerMetadata.workspace' : name
    const at = fields.some((field) => field.name === fieldName) ? fieldName : ''
    if (!faults.has(at)) faults.set(at, detail)
  }
  return faults
}

/**
 * Builds the request from the values. Sends a workspace both as metadata and as the workspace, as the form of the React
 * library does.
 */
export function requestOf(
  { name: provider }: ProviderEntry,
  method: Pick<AuthenticationMethod, 'key' | 'scheme' | 'fields'>,
  { groupRef, groupName, consumerRef, consumerName }: ConnectPurpose,
  values: ReadonlyMap<string, string>,
): GenerateConnectionRequest {
  const valuesUnder = (prefix: string) =>
    Object.fromEntries(
      [...values].flatMap(([name, value]) =>
        name.startsWith(`${prefix}.`) && value !== '' ? [[name.slice(prefix.length + 1), value]] : [],
      ),
    )
  const providerMetadata = valuesUnder('providerMetadata')
  const workspace = values.get('providerMetadata.workspace')
  const block = valuesUnder(method.key === 'conversation' ? 'customAuth' : method.key)
  return {
    provider,
    schemeName: method.scheme,
    groupRef,
    ...(groupName && { groupName }),
    consumerRef,
    ...(consumerName && { consumerName }),
    ...(Object.keys(providerMetadata).length > 0 && { providerMetadata }),
    ...(workspace && { providerWorkspaceRef: workspace }),
    ...credentialBlock(method.key, block, values),
  }
}

function credentialBlock(
  key: AuthenticationMethod['key'],
  block: Record<string, string>,
  values: ReadonlyMap<string, string>,
): Partial<GenerateConnectionRequest> {
  const text = (name: string) => block[name] ?? ''
  const scopes = text('scopes')
    .split(/[\s,]+/)
    .filter((scope) => scope !== '')
  const client = {
    clientId: text('clientId'),
    clientSecret: text('clientSecret'),
    ...(scopes.length > 0 && { scopes }),
  }
  const account = { username: text('username'), password: text('password') }
  switch (key) {
    case 'apiKey':
      return { apiKey: values.get('apiKey') ?? '' }
    case 'basicAuth':
      return { basicAuth: account }
    case 'oauth2ClientCredentials':
      return { oauth2ClientCredentials: client }
    case 'oauth2PasswordCredentials':
      return { oauth2PasswordCredentials: { ...account, ...client } }
    case 'customAuth':
    case 'conversation':
      return { customAuth: block }
    case 'none':
    case 'oauth2':
      return {}
  }
}
