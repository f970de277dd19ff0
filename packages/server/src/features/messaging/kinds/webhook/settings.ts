import { Type } from 'typebox'
import { type Issue, MapOf } from '../../../../kernel/http/index.ts'
import { type AddressGuard, framingHeaders } from '../../../../kernel/net/index.ts'
import { caCertificateProperty } from '../certificate-setting.ts'
import { groupPlaceholder, unknownPlaceholder } from '../group-ref.ts'
import type { KindServices, Read } from '../kind.ts'
import { hasMask, mask, maskedUrl, maskIssue } from '../masks.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'
import { readBodyTemplate } from './body-template.ts'
import { readTls, type TlsSettings } from './client-certificate.ts'
import { type OAuthSettings, readOAuth } from './client-credentials.ts'
import { connectionPlaceholder } from './message-url.ts'

/** What a webhook needs to be reached. */
export interface WebhookSettings extends OAuthSettings, TlsSettings {
  url: string
  headers?: Record<string, string>
  bodyTemplate?: string
}

export const properties = {
  url: Type.String({
    description:
      'Where messages are posted to: https, or http inside MORTISE_ALLOW_PRIVATE_NETWORK. {{groupRef}} in its path or query stands for the group of a message, {{connectionId}} for its connection.',
  }),
  headers: MapOf(Type.String(), { description: 'Headers of every request.' }),
  bodyTemplate: Type.String({
    description:
      'JMESPath expression that makes the body of a message, such as {text: objectName, records: result}. By default, the message. Where it makes nothing, the message.',
  }),
  tokenUrl: Type.String({ description: 'Token endpoint of OAuth: requests have an access token for the client.' }),
  clientId: Type.String({ description: 'Client id of OAuth.' }),
  scope: Type.String({ description: 'Scopes of the access token, separated by spaces.' }),
  audience: Type.String({ description: 'Audience of the access token, where the authorization server wants one.' }),
  clientAuthentication: Type.String({
    description: 'How the token endpoint gets the client secret: basic (by default), or body.',
  }),
  clientCertificate: Type.String({
    description: 'Certificate of the client for mutual TLS, as PEM, with those between it and its authority.',
  }),
  caCertificate: caCertificateProperty,
}

export const secretProperties = {
  clientSecret: Type.String({ description: 'Client secret of OAuth.' }),
  clientKey: Type.String({ description: 'Private key of clientCertificate, as PEM, without a passphrase.' }),
}

/** Headers of the connection, of the message's frame, and of the signature: none of them is a user's to set. */
const refusedHeaders = new Set([
  ...framingHeaders,
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
])
const signatureHeader = /^(?:webhook|svix)-/
/** A token (RFC 9110 5.6.2), and a value without control characters, in Latin 1 as the wire has it. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]{0,4096}$/
const headersMax = 50
const urlLengthMax = 2_048

/** Reads the settings of a webhook and lists everything that is wrong with them. */
export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<WebhookSettings> {
  const issues: Issue[] = []
  const url = readUrl(input['url'], `${at}.url`, guard, issues)
  const headers = readHeaders(input['headers'], `${at}.headers`, issues)
  if (hasMask(url)) issues.push(maskIssue(`${at}.url`))
  for (const name in headers) if (headers[name] === mask) issues.push(maskIssue(`${at}.headers.${name.slice(0, 100)}`))
  const read = new SettingsReader(input, at)
  const settings = definedSettings<WebhookSettings>({
    url,
    headers,
    bodyTemplate: readBodyTemplate(read),
    ...readOAuth(read, guard),
    ...readTls(read, url),
  })
  if (
    settings.tokenUrl !== undefined &&
    Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'authorization')
  )
    read.refuse('tokenUrl', 'excludes a header Authorization.', 'Leave out the header: requests have the access token.')
  return { settings, issues: [...issues, ...read.issues] }
}

function readUrl(url: unknown, name: string, guard: AddressGuard, issues: Issue[]): string {
  const remedy = 'Give the https URL of your endpoint, such as https://example.com/webhooks.'
  if (url === undefined || url === null) issues.push({ in: 'body', name, detail: `${name} is required.`, remedy })
  else if (typeof url !== 'string')
    issues.push({ in: 'body', name, value: url, detail: `${name} must be a string.`, remedy })
  else if (url.length > urlLengthMax)
    issues.push({
      in: 'body',
      name,
      value: maskedUrl(url),
      detail: `${name} must not be longer than ${urlLengthMax} characters.`,
      remedy,
    })
  else {
    const refusal = guard.checkUrl(url) ?? placeholderRefusal(url)
    if (refusal === undefined) return url
    issues.push({
      in: 'body',
      name,
      value: maskedUrl(url),
      detail: `${name} is not accepted. ${refusal.reason}`,
      remedy: refusal.remedy,
    })
  }
  return ''
}

const placeholders = [groupPlaceholder, connectionPlaceholder]

/** Neither a group nor a connection decides which server gets a message, or as which user. */
function placeholderRefusal(url: string): { reason: string; remedy: string } | undefined {
  const remedy = `Use ${placeholders.join(' and ')} in the path or the query, such as https://example.com/webhooks/${groupPlaceholder}.`
  const unknown = unknownPlaceholder(url, placeholders)
  if (unknown !== undefined) return { reason: unknown, remedy }
  // As the URL is read: spaces before it and line breaks in it have no meaning.
  const { host, hash } = new URL(url)
  const misplaced = placeholders.find((one) => host.includes(one.toLowerCase()) || hash.includes(one))
  return misplaced === undefined ? undefined : { reason: `${misplaced} can only be in the path and the query.`, remedy }
}

function readHeaders(headers: unknown, name: string, issues: Issue[]): Record<string, string> | undefined {
  if (headers === undefined || headers === null) return undefined
  if (typeof headers !== 'object' || Array.isArray(headers)) {
    issues.push({ in: 'body', name, detail: `${name} must be an object of strings.` })
    return undefined
  }
  const entries = Object.entries(headers)
  if (entries.length > headersMax)
    issues.push({ in: 'body', name, detail: `${name} must not hold more than ${headersMax} headers.` })
  const seen = new Set<string>()
  for (const [header, value] of entries.slice(0, headersMax)) {
    const issue = headerIssue(header, value, seen)
    if (issue) issues.push({ in: 'body', name: `${name}.${header.slice(0, 100)}`, ...issue })
    seen.add(header.toLowerCase())
  }
  return Object.fromEntries(entries) as Record<string, string>
}

function headerIssue(header: string, value: unknown, seen: Set<string>): Pick<Issue, 'detail' | 'remedy'> | undefined {
  const lower = header.toLowerCase()
  if (!headerName.test(header)) return { detail: 'This is not a valid header name.', remedy: 'Use letters and dashes.' }
  if (refusedHeaders.has(lower) || signatureHeader.test(lower))
    return { detail: `The header ${lower} is set by this service.`, remedy: 'Leave it out.' }
  if (seen.has(lower)) return { detail: `The header ${lower} is given twice.`, remedy: 'Give it once.' }
  // A value is never echoed: it may be a credential.
  if (typeof value !== 'string' || !headerValue.test(value))
    return {
      detail: `The value of ${lower} must be a string of at most 4,096 characters without control characters.`,
      remedy: 'Encode other characters, for example as base64.',
    }
  return undefined
}
