import type { Input, Item } from '@mortise/client'
import { parseTime } from '../parse-time.ts'
import { defined, resource, timeText } from './resource.ts'

type Query = NonNullable<Input<'listDeadLetters'>['query']>

export const deadLetters = resource<Item<'listDeadLetters'>>({
  name: 'dead-letters',
  one: 'dead-letter',
  columns: [
    ['Id', ({ id }) => id],
    ['Destination', ({ destinationName }) => destinationName],
    ['Object', ({ objectName, eventType }) => objectName ?? eventType],
    ['Reason', ({ reason }) => reason],
    ['Error', ({ error }) => error],
    ['Attempts', ({ attempts }) => attempts],
    ['Corrected', ({ correctTime }) => timeText(correctTime)],
    ['Failed', ({ failTime }) => timeText(failTime)],
  ],
  list: {
    takes: ['destination', 'reason', 'kind', 'object', 'group', 'installation', 'since', 'until'],
    rows: ({ mortise, signal, options }) => {
      const { destination, reason, kind, object, group, installation, since, until } = options
      const query = defined({
        destination,
        // The service reports a value that is none of these.
        reason: reason as Query['reason'],
        kind: kind as Query['kind'],
        objectName: object,
        groupRef: group,
        installationId: installation,
        createdAfter: since === undefined ? undefined : parseTime(since),
        createdBefore: until === undefined ? undefined : parseTime(until),
      })
      return mortise.each('listDeadLetters', { query }, { signal })
    },
  },
  get: { read: ({ mortise, signal }, deadLetterId) => mortise.getDeadLetter({ deadLetterId }, { signal }) },
})
