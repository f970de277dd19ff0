import { Type } from 'typebox'
import { InvalidInput } from '../../../../kernel/http/index.ts'
import { type CountRange, countRange, type Interval } from '../model.ts'

/** Maximum number of intervals in one response: 83 days by hour. */
export const intervalsMax = 2_000

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const RangeQuery = {
  startTime: time(
    'The first interval contains this time. By default, the range is 24 hours, or 30 days if the interval is a day.',
  ),
  endTime: time('The last interval ends at this time or contains it; now by default.'),
}

/** @throws InvalidInput if the range is empty, or has too many intervals */
export function rangeOf(
  { startTime, endTime }: { startTime?: string | undefined; endTime?: string | undefined },
  interval: Interval,
  now: Date,
  max = intervalsMax,
): CountRange {
  const range = countRange(interval, { startTime, endTime, now })
  if (range.length > 0 && range.length <= max) return range
  throw new InvalidInput({
    issues: [
      {
        in: 'query',
        name: 'startTime',
        value: startTime ?? '',
        detail:
          range.length > 0
            ? `From startTime to endTime are ${range.length} intervals. The maximum is ${max}.`
            : 'startTime must be before endTime.',
        remedy: interval === 'hour' ? 'Choose a shorter range, or interval=day.' : 'Choose a shorter range.',
      },
    ],
  })
}
