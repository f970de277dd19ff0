import { Type } from 'typebox'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { listObjects } from '../list-store.ts'
import { StoredObject, timeOfPosition } from '../model.ts'
import { RecordsNotStored } from '../problems.ts'
import { listRecordStores } from '../store.ts'

export const listRecordObjects = endpoint({
  id: 'listRecordObjects',
  method: 'GET',
  path: '/projects/{projectIdOrName}/records',
  access: 'view',
  summary: 'List the objects whose records are stored.',
  description: 'By name: the objects of all destinations of type `records`.',
  tag: 'Records',
  extension: true,
  params: ProjectPath,
  reply: { 200: Type.Array(StoredObject) },
  problems: [RecordsNotStored],
  run: async ({ db }) => {
    const objects = await listObjects(db)
    if (objects.length === 0 && (await listRecordStores(db)).length === 0) throw new RecordsNotStored()
    return reply(
      200,
      objects.map(({ position, ...object }) => ({ ...object, modifiedTime: timeOfPosition(position) })),
    )
  },
})
