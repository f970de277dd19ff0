import { z } from 'zod'
import { defined } from '../../resources/defined.ts'
import { cursor, optional, paging, period, periodQuery, text } from '../inputs.ts'
import { pageResult, thingResult } from '../results.ts'
import { type ToolCall, tool } from '../tool.ts'

const kind = z.enum(['read', 'subscribe', 'schema.watch', 'notification']).optional().describe('what they bring')

export const listMessages = tool({
  name: 'list_messages',
  title: 'List messages',
  description: 'Lists messages to destinations, the newest first, with state and attempts. Without their contents.',
  effect: 'read',
  input: z.strictObject({
    destination: optional('id or name of the destination'),
    state: z.enum(['pending', 'delivered', 'failed', 'discarded']).optional(),
    kind,
    event: optional('type of the event of notifications, such as connection.created'),
    group: optional('your ref of the group (the customer)'),
    installation: optional('id of the installation'),
    operation: optional('id of the operation'),
    ...period,
    ...paging,
  }),
  run: async (input, { connect, signal }) => {
    const mortise = await connect()
    const query = defined({
      destination: input.destination,
      state: input.state,
      kind: input.kind,
      eventType: input.event,
      groupRef: input.group,
      installationId: input.installation,
      operationId: input.operation,
      ...periodQuery(input),
    })
    return await pageResult(async (pageSize) => {
      const page = await mortise.page('listMessages', { query }, { signal, pageSize, pageToken: input.cursor })
      return { rows: page.items, next: page.nextPageToken }
    }, input.limit)
  },
})

const withoutRecords = ({ computer }: ToolCall) =>
  `Contents of records are left out.${computer ? ' The person who runs the server can add --show-records.' : ''}`

export const getMessage = tool({
  name: 'get_message',
  title: 'Get a message',
  description: 'Shows a message: state, attempts and size. Its content only if the server was started to show records.',
  effect: 'read',
  input: z.strictObject({ message: text('id of the message'), cursor }),
  run: async ({ message: messageId, cursor: from }, call) => {
    const { connect, signal, showRecords } = call
    const { payload, ...shown } = await (await connect()).getMessage({ messageId }, { signal })
    return thingResult(showRecords ? { ...shown, payload } : { ...shown, payload: withoutRecords(call) }, from)
  },
})

export const listMessageAttempts = tool({
  name: 'list_message_attempts',
  title: 'List the attempts of a message',
  description: 'Lists the attempts to deliver a message, with the status or error of each.',
  effect: 'read',
  input: z.strictObject({ message: text('id of the message'), ...paging }),
  run: async ({ message: messageId, limit, cursor: pageToken }, { connect, signal, showRecords }) => {
    const mortise = await connect()
    return await pageResult(async (pageSize) => {
      const page = await mortise.page('listMessageAttempts', { messageId }, { signal, pageSize, pageToken })
      // What a destination answers may repeat what was sent.
      const rows = showRecords ? page.items : page.items.map(({ response: _, ...shown }) => shown)
      return { rows, next: page.nextPageToken }
    }, limit)
  },
})

export const listDeadLetters = tool({
  name: 'list_dead_letters',
  title: 'List dead letters',
  description:
    'Lists what destinations did not accept, with the reason. Errors have the words of the destination, which can quote values of records.',
  effect: 'read',
  input: z.strictObject({
    destination: optional('id or name of the destination'),
    reason: z.enum(['refused', 'exhausted']).optional(),
    kind,
    object: optional('name of the object'),
    group: optional('your ref of the group (the customer)'),
    installation: optional('id of the installation'),
    ...period,
    ...paging,
  }),
  run: async (input, { connect, signal, showRecords }) => {
    const mortise = await connect()
    const query = defined({
      destination: input.destination,
      reason: input.reason,
      kind: input.kind,
      objectName: input.object,
      groupRef: input.group,
      installationId: input.installation,
      ...periodQuery(input),
    })
    return await pageResult(async (pageSize) => {
      const page = await mortise.page('listDeadLetters', { query }, { signal, pageSize, pageToken: input.cursor })
      const rows = showRecords ? page.items : page.items.map(({ response: _, ...shown }) => shown)
      return { rows, next: page.nextPageToken }
    }, input.limit)
  },
})

export const getDeadLetter = tool({
  name: 'get_dead_letter',
  title: 'Get a dead letter',
  description: 'Shows a dead letter with its error. Its records only if the server was started to show records.',
  effect: 'read',
  input: z.strictObject({ deadLetter: text('id of the dead letter'), cursor }),
  run: async ({ deadLetter: deadLetterId, cursor: from }, call) => {
    const { connect, signal, showRecords } = call
    const found = await (await connect()).getDeadLetter({ deadLetterId }, { signal })
    if (showRecords) return thingResult(found, from)
    const { payload: _, records: _records, originalRecords: _original, response: _response, ...shown } = found
    return thingResult({ ...shown, records: withoutRecords(call) }, from)
  },
})
