import { bareHost } from '../../../../kernel/net/index.ts'
import { checkHost } from '../check-host.ts'
import type { DestinationKind } from '../kind.ts'
import { mapValues, mask, maskedUrl, secretsInUrl } from '../masks.ts'
import { properties, readSettings, type WebhookSettings } from './settings.ts'
import { openWebhook, webhookHeaders } from './webhook-sender.ts'

/** Posts each message to a URL, signed by Standard Webhooks. */
export const webhook: DestinationKind<WebhookSettings> = {
  name: 'webhook',
  summary: 'Posts each message to a URL.',
  properties,
  addressKeys: ['url'],
  limits: { maxBatch: 1, concurrency: 16, timeoutMs: 15_000 },
  readSettings,
  checkSettings: ({ url }, at, services) => checkHost(url, `${at}.url`, services, 'http'),
  maskSettings: ({ url, headers }) => ({
    url: maskedUrl(url),
    ...(headers && { headers: mapValues(headers, () => mask) }),
  }),
  secretsOf: ({ url, headers = {} }) => [...Object.values(headers), ...secretsInUrl(url)],
  endpoint: ({ url }) => maskedUrl(url),
  host: ({ url }) => bareHost(new URL(url)),
  headers: webhookHeaders,
  open: openWebhook,
}
