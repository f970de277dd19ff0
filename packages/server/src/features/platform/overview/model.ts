import { type Static, Type } from 'typebox'
import { Enum, named, Timestamp } from '../../../kernel/http/index.ts'
import { FailureReasonSchema } from '../../integrations/installations/index.ts'
import { CountsSchema } from '../counts/index.ts'

const time = (description: string) => Type.Unsafe<string | Date>({ ...Timestamp, description })

const counted = {
  count: Type.Integer({ description: 'How many there are.' }),
  capped: Type.Boolean({ description: 'Whether there are more. Then `count` is the maximum that is counted.' }),
}
const capped = (description: string) => Type.Object(counted, { description })

const waiting = {
  waiting: capped('Messages that wait for their delivery.'),
  oldestTime: Type.Optional(time('When the oldest of them was posted. Absent if none waits.')),
  deadLetters: capped('Messages and records that were not accepted. For each destination, at most 1,000 are counted.'),
}

export const Overview = named(
  'Overview',
  Type.Object(
    {
      time: time('When the numbers of installations and connections were counted: at most 10 seconds ago.'),
      installations: Type.Object(
        {
          total: Type.Integer({ description: 'All installations.' }),
          unhealthy: capped('Installations that do not work.'),
        },
        { description: 'The installations of the project.' },
      ),
      failing: Type.Array(Type.Object({ reason: FailureReasonSchema, ...counted }), {
        description: 'Results of the list of failing installations, by reason, the worst reason first.',
      }),
      connections: Type.Object(
        {
          created: Type.Integer({ description: 'Connections that were not used yet.' }),
          working: Type.Integer({ description: 'Connections that work.' }),
          bad_credentials: Type.Integer({ description: 'Connections whose credential the provider refuses.' }),
        },
        { description: 'The connections of the project, by status.' },
      ),
      backlog: Type.Object(
        {
          ...waiting,
          destinations: Type.Array(
            Type.Object({
              destinationId: Type.Optional(
                Type.String({ description: 'Id of the destination. Absent while none has this name.' }),
              ),
              destinationName: Type.String({ description: 'Name of the destination.' }),
              state: Enum(['active', 'failing', 'disabled', 'missing'], {
                description: '`missing`: messages wait for a destination of this name.',
              }),
              disabledReason: Type.Optional(Type.String({ description: 'Why it is disabled.' })),
              ...waiting,
            }),
            { description: 'The oldest 200 destinations, then names that have no destination.' },
          ),
        },
        { description: 'Messages that wait, in all and by destination.' },
      ),
      running: Type.Object(
        {
          backfills: capped('Backfills that run or wait.'),
          triggeredReads: capped('Triggered reads that run or wait.'),
          scheduledReads: capped('Scheduled reads that need several requests, or are tried again.'),
        },
        { description: 'Reads that have not ended.' },
      ),
      lastDay: { ...CountsSchema, description: 'Counts of the current hour and the 23 hours before it.' },
      dayBefore: { ...CountsSchema, description: 'Counts of the 24 hours before those.' },
    },
    { description: 'The state of a project at a glance.' },
  ),
)
export type Overview = Static<typeof Overview>

export interface CappedCount {
  count: number
  capped: boolean
}

/** Returns a count of which at most one more than `max` was counted. */
export function cappedCount(counted: number, max: number): CappedCount {
  return { count: Math.min(counted, max), capped: counted > max }
}
