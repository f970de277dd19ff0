import type { DestinationKind } from './kind.ts'
import { nothingSent } from './nothing-sent.ts'

/**
 * Stands for a kind that only a newer release knows, after a downgrade: its settings are not shown, and nothing is
 * sent.
 */
export function unknownKind(name: string): DestinationKind {
  return {
    name,
    summary: '',
    properties: {},
    receivers: {},
    addressKeys: [],
    limits: { maxBatch: 1, concurrency: 1, timeoutMs: 1_000 },
    readSettings: (_input, at) => ({
      settings: {},
      issues: [
        {
          in: 'body',
          name: at,
          detail: `This release cannot change destinations of type ${name}.`,
          remedy: 'Upgrade Mortise.',
        },
      ],
    }),
    checkSettings: async () => [],
    maskSettings: () => ({}),
    secretsOf: () => [],
    endpoint: () => name,
    host: () => undefined,
    headers: () => ({}),
    open: () => nothingSent(`This release does not deliver to destinations of type ${name}.`),
  }
}
