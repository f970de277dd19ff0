import { type Static, Type } from 'typebox'
import { choice, path, strict } from './vocabulary.ts'

/** How a header or a body writes a time. */
export const headerTime = choice(['seconds', 'milliseconds', 'unix', 'unixMs', 'date'], 'Format of the value.')

export const CostLimit = Type.Object(
  {
    remaining: path('Path of the units that are left.'),
    cost: path('Path of the units that the request needs. Default: as many as before.'),
    restoredPerSecond: Type.Optional(path('Path of the units that the provider restores in a second.')),
    maximum: Type.Optional(path('Path of the most units that are there at a time. Needs `restoredPerSecond`.')),
    reset: Type.Optional(path('Path of the time when all units are there again.')),
    format: Type.Optional(headerTime),
  },
  {
    ...strict,
    description:
      'A limit on the cost of requests, which responses report, as in GraphQL APIs. A request waits for as many units as it needed before. `errors.rules` says what a refusal looks like. It has `restoredPerSecond` or `reset`.',
  },
)
export type CostLimit = Static<typeof CostLimit>
