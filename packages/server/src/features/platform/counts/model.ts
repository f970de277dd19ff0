import { type Static, type TInteger, Type } from 'typebox'
import { named, Timestamp } from '../../../kernel/http/index.ts'

/** What is counted, each with its description. */
const described = {
  reads: 'Reads that ended.',
  failedReads: 'Reads that failed.',
  recordsRead: 'Records that were read.',
  messagesPosted: 'Messages that were posted.',
  deliveries: 'Attempts to deliver a message.',
  failedDeliveries: 'Attempts that failed.',
  providerCalls: 'Requests that were sent to the provider by reads, writes and the proxy.',
  failedProviderCalls: 'Those that got an error or no response.',
}

export type CountName = keyof typeof described
export type Counts = Record<CountName, number>

export const countNames = Object.keys(described) as CountName[]

export const noCounts = (): Counts => Object.fromEntries(countNames.map((name) => [name, 0])) as Counts

/** An object of an installation. The name is empty for what belongs to no object. */
export interface Counted {
  projectId: string
  installationId: string
  objectName: string
}

/** The counts of an object of an installation in one hour. */
export interface Count extends Counted {
  /** When the hour begins, in milliseconds since 1970. */
  hour: number
  counts: Counts
}

export const CountsSchema = named(
  'Counts',
  Type.Object(
    Object.fromEntries(
      Object.entries(described).map(([name, description]) => [name, Type.Integer({ description })]),
    ) as Record<CountName, TInteger>,
    { description: 'What happened in a period.' },
  ),
)

export const CountSeries = named(
  'CountSeries',
  Type.Object({
    interval: Type.String({ description: '`hour` or `day`.' }),
    results: Type.Array(
      Type.Object({
        startTime: { ...Timestamp, description: 'When the interval begins, in UTC.' },
        counts: CountsSchema,
      }),
      { description: 'Every interval of the range, oldest first. An interval in which nothing happened has zeros.' },
    ),
    total: CountsSchema,
  }),
)
export type CountSeries = Static<typeof CountSeries>

export const TopInstallation = named(
  'TopInstallation',
  Type.Object({
    installationId: Type.String({ description: 'Id of the installation.' }),
    integrationId: Type.String({ description: 'Id of the integration.' }),
    groupRef: Type.Optional(
      Type.String({ description: 'Your id of the group. Absent once the installation is deleted.' }),
    ),
    counts: CountsSchema,
  }),
)
export type TopInstallation = Static<typeof TopInstallation>

export type Interval = 'hour' | 'day'

const lengthMs = { hour: 3_600_000, day: 86_400_000 }

/** The intervals of a range of time: from the one with its beginning to the one with its end. */
export interface CountRange {
  interval: Interval
  /** When the first interval begins. */
  from: Date
  /** When the last interval ends. */
  to: Date
  /** How many intervals they are. */
  length: number
}

/** Returns the intervals of a range of time. Without a beginning, it is the last 24 hours or 30 days before the end. */
export function countRange(
  interval: Interval,
  { startTime, endTime, now }: { startTime: string | undefined; endTime: string | undefined; now: Date },
): CountRange {
  const ms = lengthMs[interval]
  const to = Math.ceil((endTime === undefined ? now : new Date(endTime)).getTime() / ms) * ms
  const first = startTime === undefined ? to - ms * (interval === 'hour' ? 24 : 30) : new Date(startTime).getTime()
  const from = Math.floor(first / ms) * ms
  return { interval, from: new Date(from), to: new Date(to), length: Math.round((to - from) / ms) }
}

/** Returns every interval of a range with its counts, and the total. */
export function seriesOf(range: CountRange, rows: readonly (Counts & { startTime: Date })[]): CountSeries {
  const total = noCounts()
  const byStart = new Map(rows.map(({ startTime, ...counts }) => [startTime.getTime(), counts]))
  const results = Array.from({ length: range.length }, (_, number) => {
    const startTime = new Date(range.from.getTime() + number * lengthMs[range.interval])
    return { startTime, counts: byStart.get(startTime.getTime()) ?? noCounts() }
  })
  for (const { counts } of results) for (const name of countNames) total[name] += counts[name]
  return { interval: range.interval, results, total }
}
