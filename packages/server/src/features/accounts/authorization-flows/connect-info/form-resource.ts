import { fillTemplate, type ProviderEntry, withScheme } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { findProviderApp } from '../../../integrations/provider-apps/index.ts'
import { metadataValues } from '../../connection-inputs/index.ts'
import { scopesToAsk } from '../../tokens/index.ts'
import { askedScopes } from '../asked-scopes.ts'
import { codeGrantOf } from '../code-grant.ts'
import { accountFields, type ConnectOptions } from '../connect-page/connect-options.ts'
import type { AuthenticationMethod, Field } from '../connect-page/methods.ts'
import type { ConnectForm, ConnectInfo } from './model.ts'

type FormMethod = ConnectForm['methods'][number]
type FormField = FormMethod['fields'][number]

/** Returns the fields that a customer fills in: those of the account, then those of the credential. */
export function fieldsOf(options: ConnectOptions, method: AuthenticationMethod): Field[] {
  return [...accountFields(options, method), ...method.fields]
}

export function kindOf(options: ConnectOptions, method: AuthenticationMethod): FormMethod['kind'] {
  if (method.key === 'oauth2') return 'oauth2'
  if (method.key === 'conversation') return 'steps'
  return fieldsOf(options, method).length === 0 ? 'none' : 'fields'
}

/** Returns the form of what can be connected. @param providerAppId by default the newest one */
export async function formOf(
  db: ProjectDb,
  options: ConnectOptions,
  providerAppId: string | undefined,
): Promise<ConnectForm> {
  const { entry, known, methods } = options
  const needsApp = methods.some(({ key }) => key === 'oauth2')
  const app = needsApp ? await findProviderApp(db, { id: providerAppId, provider: entry.name }) : undefined
  const scopes = app ? await askedScopes(db, entry, app) : []
  return {
    name: entry.name,
    displayName: entry.displayName,
    ...(known && { reconnects: known.connection_id }),
    methods: methods.map((method) => formMethod(options, method, scopes)),
  }
}

/** Returns what a method asks a customer for, in one word. */
export function askedFor({ key, fields }: AuthenticationMethod): ConnectInfo['providers'][number]['asksFor'] {
  switch (key) {
    case 'none':
      return 'nothing'
    case 'apiKey':
      return 'apiKey'
    case 'basicAuth':
      // One of the two is a key, if either may be left out.
      return fields.some(({ optional }) => optional === true) ? 'keys' : 'password'
    case 'oauth2':
      return 'signIn'
    default:
      return 'keys'
  }
}

/** @param scopes those that Mortise asks for, with OAuth */
function formMethod(options: ConnectOptions, method: AuthenticationMethod, scopes: readonly string[]): FormMethod {
  const entry = withScheme(options.entry, method.scheme) ?? options.entry
  const authUrl = method.key === 'oauth2' ? codeGrantOf(entry)?.authUrl : undefined
  const host = authUrl === undefined ? hostOf(entry.baseUrl) : hostOf(filled(options, entry, authUrl))
  return {
    scheme: method.scheme,
    kind: kindOf(options, method),
    name: method.name,
    fields: fieldsOf(options, method).map((field) => fieldResource(options.entry, field)),
    ...(method.key === 'oauth2' && scopes.length > 0 && { scopes: scopeResources(options, entry, scopes) }),
    ...(host !== undefined && { host }),
  }
}

function fieldResource(entry: ProviderEntry, field: Field): FormField {
  const { name, label, prompt, docsUrl, example, pattern, type, options, initial, optional, charactersMax } = field
  const link = docsUrl === undefined ? null : URL.parse(docsUrl)
  return {
    name,
    label,
    ...(prompt !== undefined && { help: prompt }),
    // Operators write provider files, so a link may be any text.
    ...(link && /^https?:$/.test(link.protocol) && { docsUrl: link.href }),
    ...surroundingsOf(entry, name),
    ...(example !== undefined && { example }),
    ...(pattern !== undefined && { pattern }),
    type,
    ...(options && { options: options.map(({ value, label }) => ({ value, label })) }),
    ...(initial !== undefined && { initial }),
    ...(optional === true && { optional }),
    maxLength: charactersMax,
  }
}

/** Returns the parts of the base URL around a value: `https://` and `.zendesk.com`. */
function surroundingsOf(entry: ProviderEntry, field: string): Pick<FormField, 'prefix' | 'suffix' | 'example'> {
  const name = field.replace(/^providerMetadata\./, '')
  const input = name === field ? undefined : entry.inputs.find((candidate) => candidate.name === name)
  if (!input) return {}
  // A hint of the provider file has its own example, which may differ.
  if (input.kind === 'url') return input.prompt === undefined ? { example: 'https://crm.example.com' } : {}
  if (input.kind === 'host') return input.prompt === undefined ? { example: 'crm.example.com' } : {}
  const { baseUrl } = (entry.defaultModule && entry.modules[entry.defaultModule]) || entry
  const [before, after, ...more] = baseUrl.split(`{{${name}}}`)
  if (before === undefined || after === undefined || more.length > 0) return {}
  // Only in the host: with another value there, the address is not known yet.
  const suffix = /^[^/?#{}]*/.exec(after)?.[0] ?? ''
  if (!/^https?:\/\/[^/?#{}]*$/.test(before) || after.slice(suffix.length).startsWith('{')) return {}
  return { prefix: before, ...(suffix !== '' && { suffix }) }
}

function scopeResources(options: ConnectOptions, entry: ProviderEntry, scopes: readonly string[]) {
  const described = codeGrantOf(entry)?.scopeDescriptions ?? {}
  return scopesToAsk(entry, scopes, valuesOf(options)).map((name, at) => {
    const scope = scopes[at] ?? name
    const description = Object.hasOwn(described, scope) ? described[scope] : undefined
    return { name, ...(description !== undefined && { description }) }
  })
}

/** Returns a URL with the values of the account, or as the provider file has it while they are not known. */
function filled(options: ConnectOptions, entry: ProviderEntry, template: string): string {
  return (options.known && fillTemplate(entry, template, valuesOf(options))) ?? template
}

function valuesOf({ known }: ConnectOptions): { metadata: Record<string, string>; workspaceRef?: string } {
  if (!known) return { metadata: {} }
  const { provider_metadata: metadata, provider_workspace_ref: workspaceRef } = known
  return { metadata: metadataValues(metadata), ...(workspaceRef !== null && { workspaceRef }) }
}

/** Returns the host of an address, with its port; undefined if a variable is in it. */
function hostOf(address: string): string | undefined {
  return /^https?:\/\/([a-z0-9.:-]+)(?=[/?#]|$)/i.exec(address)?.[1]
}
