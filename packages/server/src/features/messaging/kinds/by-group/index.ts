import type { DestinationKind } from '../kind.ts'
import { nothingSent } from '../nothing-sent.ts'
import { type ByGroupSettings, properties, readSettings } from './settings.ts'

/**
 * Gives each message to the destination of its connection or group. Which destination that is, is stored in tables:
 * there may be thousands. It sends nothing.
 */
export const byGroup: DestinationKind<ByGroupSettings> = {
  name: 'by-group',
  summary: 'Gives each message to the destination of its connection or group.',
  properties,
  receivers: {},
  addressKeys: ['default'],
  limits: { maxBatch: 1, concurrency: 1, timeoutMs: 1_000 },
  readSettings,
  checkSettings: async () => [],
  maskSettings: (settings) => settings,
  secretsOf: () => [],
  endpoint: (settings) =>
    settings.default === undefined
      ? 'the destination of each group'
      : `the destination of each group, otherwise ${settings.default}`,
  members: () => [],
  groupDefault: (settings) => settings.default ?? null,
  host: () => undefined,
  headers: () => ({}),
  open: () => nothingSent('Messages go to the destinations of their groups, and none is sent from here.'),
}
