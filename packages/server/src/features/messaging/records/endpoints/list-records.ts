import { Type } from 'typebox'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { endpoint, InvalidInput, type Issue, jsonReply, Path, ProjectPath, Ref } from '../../../../kernel/http/index.ts'
import { listNamedInstallations } from '../../../platform/operations/index.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { hasObject, pageOfRecords } from '../list-store.ts'
import { pageText, positionAt, recordWriter, StoredRecordPage } from '../model.ts'
import { RecordObjectNotFound, RecordsCursorExpired, RecordsNotStored } from '../problems.ts'
import { listRecordStores, type RecordStore } from '../store.ts'

const pageSizeDefault = 100

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))

export const listRecords = endpoint({
  id: 'listRecords',
  method: 'GET',
  path: '/projects/{projectIdOrName}/records/{objectName}',
  access: 'view',
  summary: 'List the stored records of an object.',
  description:
    'Records that changed longest ago come first. A page examines a limited number of records. If few of them match, the page has fewer records, or none, and `nextCursor` continues. `pagination.done` says that you have everything. Keep `nextCursor` then: a later request with it returns what has changed since.',
  tag: 'Records',
  extension: true,
  params: Path({ ...ProjectPath.properties, objectName: Ref }),
  query: Type.Object({
    cursor: text('Where to begin: `nextCursor` of an earlier response, with the same filters.'),
    pageToken: text('The same as `cursor`, as other lists name it.'),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `Records of one page at most; ${pageSizeDefault} when absent. A page of about 4 MiB ends earlier.`,
      }),
    ),
    groupRef: text('Your id of the group that they come from.'),
    installationId: text('Id of the installation that they come from.'),
    provider: text('Name of the provider that they come from.'),
    modifiedAfter: Type.Optional(
      Type.String({ format: 'date-time', description: 'What is stored of them changed at this time or later.' }),
    ),
    includeDeleted: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether deleted records are listed, too. They have `deletedTime`.' }),
    ),
    destination: Type.Optional(
      Type.String({
        ...Ref,
        description: 'Id or name of the destination that stores them, if the project has several of type `records`.',
      }),
    ),
  }),
  reply: { 200: StoredRecordPage },
  problems: [RecordsNotStored, RecordObjectNotFound, RecordsCursorExpired],
  run: async ({ db, params, query }, { keyring }: { keyring: Keyring }) => {
    const { objectName } = params
    const { groupRef, installationId, provider, modifiedAfter, includeDeleted = true } = query
    const store = await storeOf(db, query.destination)
    const scope = [store.id, objectName, groupRef, installationId, provider, modifiedAfter, includeDeleted].map(
      (part) => part ?? false,
    )
    const cursor = givenCursor(scope, query)
    const from = cursor?.position ?? (modifiedAfter === undefined ? 0 : positionAt(new Date(modifiedAfter)) - 1)
    const page = await pageOfRecords(
      db,
      {
        ...{ storeId: store.id, objectName, provider, includeDeleted, after: Math.max(from, 0) },
        installationIds: await listNamedInstallations(db, query),
      },
      query.pageSize ?? pageSizeDefault,
    )
    const { end, hasMore, rows, storePosition, forgottenPosition } = page
    if (!cursor && rows.length === 0 && !hasMore && !(await hasObject(db, { storeId: store.id, objectName })))
      throw new RecordObjectNotFound()
    if (cursor && forgottenPosition > Math.max(cursor.seen, cursor.position)) throw new RecordsCursorExpired()
    const nextCursor = writeCursor(scope, {
      position: end,
      // A client that has everything has also seen each deletion up to now.
      seen: hasMore && cursor ? cursor.seen : storePosition,
    })
    const records = rows.map(recordWriter(keyring, { projectId: db.projectId, objectName }))
    const pagination = hasMore ? { done: false, nextPageToken: nextCursor } : { done: true }
    return jsonReply(200, pageText(records, { pagination, nextCursor }))
  },
})

/** The store that a request is about. @throws InvalidInput if it must name one of several */
async function storeOf(db: ProjectDb, destination: string | undefined): Promise<RecordStore> {
  const stores = await listRecordStores(db)
  const named = stores.filter(
    ({ destinationId, destinationName }) => destination === destinationId || destination === destinationName,
  )
  const [only, another] = destination === undefined ? stores : named
  if (stores.length === 0) throw new RecordsNotStored()
  if (only && !another) return only
  const names = stores.map(({ destinationName }) => destinationName).join(', ')
  throw new InvalidInput({
    issues: [
      {
        in: 'query',
        name: 'destination',
        ...(destination !== undefined && { value: destination }),
        detail:
          destination === undefined
            ? 'destination is required, because this project has several destinations of type records.'
            : 'destination is not a destination of type records of this project.',
        remedy: `Name one of ${names}.`,
      },
    ],
  })
}

function givenCursor(
  scope: readonly (string | boolean)[],
  { cursor, pageToken }: { cursor?: string | undefined; pageToken?: string | undefined },
) {
  if (cursor !== undefined && pageToken !== undefined) {
    const issue: Issue = {
      in: 'query',
      name: 'pageToken',
      detail: 'pageToken and cursor are the same. A request takes one of them.',
      remedy: 'Leave pageToken out.',
    }
    throw new InvalidInput({ issues: [issue] })
  }
  if (cursor !== undefined) return readCursor(scope, cursor, 'cursor')
  return pageToken === undefined ? undefined : readCursor(scope, pageToken, 'pageToken')
}
