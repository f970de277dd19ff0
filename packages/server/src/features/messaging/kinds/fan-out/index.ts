import type { DestinationKind } from '../kind.ts'
import { nothingSent } from '../nothing-sent.ts'
import { type FanOutSettings, properties, readSettings } from './settings.ts'

/**
 * Stands for several other destinations. What is posted to its name is stored once for each of them, and has their
 * retries, limits and order. So it sends nothing.
 */
export const fanOut: DestinationKind<FanOutSettings> = {
  name: 'fan-out',
  summary: 'Gives each message to several other destinations.',
  properties,
  receivers: {},
  addressKeys: ['destinations'],
  limits: { maxBatch: 1, concurrency: 1, timeoutMs: 1_000 },
  readSettings,
  checkSettings: async () => [],
  maskSettings: (settings) => settings,
  secretsOf: () => [],
  endpoint: ({ destinations }) => destinations.join(', '),
  members: ({ destinations }) => destinations,
  host: () => undefined,
  headers: () => ({}),
  open: () => nothingSent('A fan-out gives messages to its destinations, and sends none.'),
}
