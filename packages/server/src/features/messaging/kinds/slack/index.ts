import { bareHost } from '../../../../kernel/net/index.ts'
import type { DestinationKind } from '../kind.ts'
import { maskedUrl, secretsInUrl } from '../masks.ts'
import { fixedReceiver } from '../receivers.ts'
import { checkSettings, properties, readSettings, type SlackSettings } from './settings.ts'
import { openSlack } from './slack-sender.ts'

/** Posts each message to a channel of Slack, as a text. */
export const slack: DestinationKind<SlackSettings> = {
  name: 'slack',
  summary: 'Posts each message to a channel of Slack, as a text.',
  properties,
  receivers: { url: fixedReceiver },
  addressKeys: ['url'],
  // Slack takes about one message a second from a webhook.
  limits: { maxBatch: 1, concurrency: 1, timeoutMs: 15_000 },
  readSettings,
  checkSettings,
  maskSettings: ({ url }) => ({ url: maskedUrl(url) }),
  secretsOf: ({ url }) => secretsInUrl(url),
  endpoint: ({ url }) => maskedUrl(url),
  host: ({ url }) => bareHost(new URL(url)),
  headers: () => ({}),
  open: openSlack,
}
