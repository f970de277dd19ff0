import type { Item } from '@mortise/client'
import { parseTime } from '../parse-time.ts'
import { all, defined, needed, resource, timeText } from './resource.ts'

/** Characters of the fields of a record in a table. */
const shownMax = 80

export const records = resource<Item<'listRecords'>>({
  name: 'records',
  one: 'record',
  columns: [
    ['Id', ({ id }) => id],
    ['Group', ({ groupRef }) => groupRef],
    ['Provider', ({ provider }) => provider],
    ['Changed', ({ modifiedTime }) => timeText(modifiedTime)],
    ['Deleted', ({ deletedTime }) => timeText(deletedTime)],
    ['Fields', ({ fields, mappedFields }) => shownFields({ ...fields, ...mappedFields })],
  ],
  list: {
    needs: ['object'],
    takes: ['group', 'installation', 'provider', 'destination', 'since'],
    rows: (call) => {
      const { group, installation, provider, destination, since } = call.options
      const query = defined({
        groupRef: group,
        installationId: installation,
        provider,
        destination,
        modifiedAfter: since === undefined ? undefined : parseTime(since),
      })
      return call.mortise.each('listRecords', { objectName: needed(call, 'object'), query }, { signal: call.signal })
    },
  },
})

export const recordObjects = resource<Item<'listRecordObjects'>>({
  name: 'record-objects',
  one: 'record-object',
  columns: [
    ['Object', ({ objectName }) => objectName],
    ['Destination', ({ destinationName }) => destinationName],
    ['Changed', ({ modifiedTime }) => timeText(modifiedTime)],
  ],
  list: { rows: ({ mortise, signal }) => all(mortise.listRecordObjects({}, { signal })) },
})

function shownFields(fields: Record<string, unknown>): string {
  const text = JSON.stringify(fields)
  return text.length <= shownMax ? text : `${text.slice(0, shownMax - 1)}…`
}
