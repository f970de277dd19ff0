import { bareHost } from '../../../../kernel/net/index.ts'
import { checkHost } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { mapValues, mask, maskedUrl, secretsInUrl } from '../masks.ts'
import { pemLines } from '../pem-lines.ts'
import { fixedReceiver, httpReceivers, inItsUrl } from '../receivers.ts'
import { templatedBody } from './body-template.ts'
import { properties, readSettings, secretProperties, type WebhookSettings } from './settings.ts'
import { openWebhook, webhookHeaders } from './webhook-sender.ts'

/** Posts each message to a URL, signed by Standard Webhooks. */
export const webhook: DestinationKind<WebhookSettings> = {
  name: 'webhook',
  summary: 'Posts each message to a URL.',
  properties,
  secretProperties,
  receivers: {
    url: inItsUrl,
    headers: { settings: ['url', 'caCertificate'], of: webhookReceivers, isKeptByUrlAlone: true },
    tokenUrl: fixedReceiver,
    // The token endpoint gets it, and the URL an access token.
    clientSecret: {
      settings: ['tokenUrl', 'url', 'caCertificate'],
      of: (settings) => [...tokenReceivers(settings), ...webhookReceivers(settings)],
    },
    // A handshake is signed with it, for one server and one connection: nobody can use this elsewhere.
    clientKey: fixedReceiver,
  },
  addressKeys: ['url', 'tokenUrl'],
  limits: { maxBatch: 1, concurrency: 16, timeoutMs: 15_000 },
  readSettings,
  async checkSettings({ url, tokenUrl }, at, services) {
    const named = [
      [`${at}.url`, url],
      [`${at}.tokenUrl`, tokenUrl],
    ] as const
    const checks = named.map(async ([path, value]) =>
      value === undefined ? [] : checkHost(value, path, services, 'http'),
    )
    return (await Promise.all(checks)).flat()
  },
  maskSettings: ({ headers, ...settings }) => ({
    ...settings,
    url: maskedUrl(settings.url),
    ...(settings.tokenUrl !== undefined && { tokenUrl: maskedUrl(settings.tokenUrl) }),
    ...(headers && { headers: mapValues(headers, () => mask) }),
  }),
  secretsOf: ({ url, tokenUrl, headers = {}, clientSecret, clientKey }) => [
    ...Object.values(headers).flatMap(secretsInHeader),
    ...secretsInUrl(url),
    ...(tokenUrl === undefined ? [] : secretsInUrl(tokenUrl)),
    ...(clientSecret === undefined ? [] : [clientSecret]),
    ...(clientKey === undefined ? [] : [clientKey, ...pemLines(clientKey)]),
  ],
  endpoint: ({ url }) => maskedUrl(url),
  host: ({ url }) => bareHost(new URL(url)),
  bodyOf: (settings, body) => templatedBody(settings, body) ?? body,
  headers: webhookHeaders,
  open: openWebhook,
}

function tokenReceivers({ tokenUrl }: WebhookSettings): string[] {
  return tokenUrl === undefined ? [] : httpReceivers(tokenUrl).map((receiver) => `token endpoint: ${receiver}`)
}

/** With the path: at some hosts, it decides whose webhook this is. */
function webhookReceivers({ url, caCertificate }: WebhookSettings): string[] {
  return [`path ${new URL(url).pathname}`, ...httpReceivers(url, caCertificate)]
}

/** A receiver may echo a credential without its scheme, such as `Bearer`, or the password of `Basic`. */
function secretsInHeader(value: string): string[] {
  const [, scheme = '', credential] = /^([A-Za-z][\w-]{0,40}) +(\S+)$/.exec(value) ?? []
  if (credential === undefined) return [value]
  const [, password] =
    scheme.toLowerCase() === 'basic' ? (/:(.+)$/s.exec(Buffer.from(credential, 'base64').toString()) ?? []) : []
  return password === undefined ? [value, credential] : [value, credential, password]
}
