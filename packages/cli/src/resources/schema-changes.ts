import type { Item } from '@mortise/client'
import { installationIdOf } from './installation-id-of.ts'
import { all, defined, needed, resource, timeText } from './resource.ts'

type Change = Item<'listSchemaChanges'>

export const schemaChanges = resource<Change>({
  name: 'schema-changes',
  one: 'schema-change',
  columns: [
    ['Time', ({ createTime }) => timeText(createTime)],
    ['Object', ({ objectName }) => objectName],
    ['Added', ({ createdFields }) => fieldNames(createdFields)],
    ['Removed', ({ deletedFields }) => fieldNames(deletedFields)],
    ['Changed', ({ changedFields }) => fieldNames(changedFields?.map(({ newSchema }) => newSchema))],
  ],
  list: {
    needs: ['integration'],
    takes: ['installation', 'group', 'object'],
    async *rows(call) {
      const { mortise, signal, options } = call
      const path = { integrationId: needed(call, 'integration'), installationId: await installationIdOf(call) }
      yield* mortise.each('listSchemaChanges', { ...path, query: defined({ objectName: options.object }) }, { signal })
    },
  },
})

export const schemaWatches = resource<Item<'listSchemaWatches'>>({
  name: 'schema-watches',
  one: 'schema-watch',
  columns: [
    ['Object', ({ objectName }) => objectName],
    ['Schedule', ({ schedule }) => schedule],
    ['Fields', ({ fieldCount }) => fieldCount],
    ['Checked', ({ checkTime }) => timeText(checkTime)],
    ['Next', ({ nextCheckTime }) => timeText(nextCheckTime)],
    ['Error', ({ error }) => error],
  ],
  list: {
    needs: ['integration'],
    takes: ['installation', 'group'],
    async *rows(call) {
      const path = { integrationId: needed(call, 'integration'), installationId: await installationIdOf(call) }
      yield* all(call.mortise.listSchemaWatches(path, { signal: call.signal }))
    },
  },
})

function fieldNames(fields: { fieldName: string }[] = []): string {
  return fields.map(({ fieldName }) => fieldName).join(', ')
}
