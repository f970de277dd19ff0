import type { Item } from '@mortise/client'
import { given, resource, timeText, whole } from './resource.ts'

type Change = Item<'listSchemaChanges'>

export const schemaChanges = resource<Change>({
  name: 'schema-changes',
  one: 'schema-change',
  columns: [
    ['Time', ({ createTime }) => timeText(createTime)],
    ['Object', ({ objectName }) => objectName],
    ['New', ({ createdFields }) => fieldNames(createdFields)],
    ['Gone', ({ deletedFields }) => fieldNames(deletedFields)],
    ['Changed', ({ changedFields }) => fieldNames(changedFields?.map(({ newSchema }) => newSchema))],
  ],
  list: {
    needs: ['integration', 'installation'],
    takes: ['object'],
    rows: ({ mortise, signal, options: { integration, installation, object } }) =>
      mortise.each(
        'listSchemaChanges',
        { integrationId: integration!, installationId: installation!, query: given({ objectName: object }) },
        { signal },
      ),
  },
})

export const schemaWatches = resource<Item<'listSchemaWatches'>>({
  name: 'schema-watches',
  one: 'schema-watch',
  columns: [
    ['Object', ({ objectName }) => objectName],
    ['Schedule', ({ schedule }) => schedule],
    ['Fields', ({ fieldCount }) => fieldCount],
    ['Looked at', ({ checkTime }) => timeText(checkTime)],
    ['Next', ({ nextCheckTime }) => timeText(nextCheckTime)],
    ['Error', ({ error }) => error],
  ],
  list: {
    needs: ['integration', 'installation'],
    rows: ({ mortise, signal, options: { integration, installation } }) =>
      whole(mortise.listSchemaWatches({ integrationId: integration!, installationId: installation! }, { signal })),
  },
})

function fieldNames(fields: { fieldName: string }[] = []): string {
  return fields.map(({ fieldName }) => fieldName).join(', ')
}
