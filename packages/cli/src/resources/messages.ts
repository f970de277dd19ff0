import type { Input, Item } from '@mortise/client'
import { parseTime } from '../parse-time.ts'
import { defined, needed, resource, timeText } from './resource.ts'

type Query = NonNullable<Input<'listMessages'>['query']>

export const messages = resource<Item<'listMessages'>>({
  name: 'messages',
  one: 'message',
  columns: [
    ['Id', ({ id }) => id],
    ['Destination', ({ destinationName }) => destinationName],
    ['Kind', ({ kind, eventType }) => eventType ?? kind],
    ['State', ({ state }) => state],
    ['Attempts', ({ attempts }) => attempts],
    ['Bytes', ({ bytes }) => bytes],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    takes: ['destination', 'state', 'kind', 'event', 'group', 'installation', 'operation', 'since', 'until'],
    rows: ({ mortise, signal, options }) => {
      const { destination, state, kind, event, group, installation, operation, since, until } = options
      const query = defined({
        destination,
        // The service reports a value that is none of these.
        state: state as Query['state'],
        kind: kind as Query['kind'],
        eventType: event,
        groupRef: group,
        installationId: installation,
        operationId: operation,
        createdAfter: since === undefined ? undefined : parseTime(since),
        createdBefore: until === undefined ? undefined : parseTime(until),
      })
      return mortise.each('listMessages', { query }, { signal })
    },
  },
  get: { read: ({ mortise, signal }, messageId) => mortise.getMessage({ messageId }, { signal }) },
})

export const attempts = resource<Item<'listMessageAttempts'>>({
  name: 'attempts',
  one: 'attempt',
  columns: [
    ['Number', ({ number }) => number],
    ['Status', ({ status }) => status],
    ['Error', ({ error }) => error],
    ['Duration', ({ durationMs }) => `${durationMs} ms`],
    ['Time', ({ createTime }) => timeText(createTime)],
  ],
  list: {
    needs: ['message'],
    rows: (call) =>
      call.mortise.each('listMessageAttempts', { messageId: needed(call, 'message') }, { signal: call.signal }),
  },
})

export const replays = resource<never>({
  name: 'replays',
  one: 'replay',
  columns: [],
  get: { read: ({ mortise, signal }, replayId) => mortise.getMessageReplay({ replayId }, { signal }) },
})
