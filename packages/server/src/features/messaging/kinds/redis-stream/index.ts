import { checkHost } from '../check-host.ts'
import { signatureFields } from '../envelope.ts'
import type { DestinationKind } from '../kind.ts'
import { maskedUrl, secretsInUrl } from '../masks.ts'
import { fixedReceiver } from '../receivers.ts'
import { openRedisStream } from './redis-sender.ts'
import { properties, type RedisStreamSettings, readSettings, targetOf } from './settings.ts'

/** Appends each message to a stream of a Redis, with the signature of a webhook in fields of the entry. */
export const redisStream: DestinationKind<RedisStreamSettings> = {
  name: 'redis-stream',
  summary: 'Appends each message to a stream of Redis.',
  properties,
  receivers: { url: fixedReceiver },
  addressKeys: ['url', 'stream'],
  limits: { maxBatch: 100, concurrency: 1, timeoutMs: 10_000 },
  readSettings,
  checkSettings: ({ url }, at, services) => checkHost(url, `${at}.url`, services, 'redis'),
  maskSettings: (settings) => ({ ...settings, url: maskedUrl(settings.url) }),
  // A server echoes user and password apart, as AUTH sends them.
  secretsOf: (settings) => {
    const { username, password } = targetOf(settings)
    return [...secretsInUrl(settings.url), ...[username, password].flatMap((text) => text ?? [])]
  },
  endpoint: (settings) => `${maskedUrl(settings.url)} ${settings.stream}`,
  host: (settings) => targetOf(settings).host,
  sendsDataOnly: () => true,
  headers: (_settings, keys, message, time) => signatureFields(keys, message, time),
  open: openRedisStream,
}
