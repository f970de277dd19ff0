import { Type } from 'typebox'
import { Enum, endpoint, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { listNamedInstallations, withOwners } from '../../../platform/operations/index.ts'
import { DeadLetter, failureReasons } from '../dead-letter-model.ts'
import { listDeadLetters as listRows } from '../dead-letter-store.ts'
import { destinationIdOf } from '../destination-id-of.ts'
import { idFilter, messageListQuery, pageOfMessages, pageSizeDefault } from './message-list-query.ts'

export const listDeadLetters = endpoint({
  id: 'listDeadLetters',
  method: 'GET',
  path: '/projects/{projectIdOrName}/dead-letters',
  access: 'view',
  summary: 'List dead letters.',
  description: `Messages and records that a destination did not accept, newest first. This list is always in pages: ${pageSizeDefault} by default. The header Link has the next page. You can combine filters.`,
  tag: 'Messages',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    ...messageListQuery,
    destination: Type.Optional(Type.String({ ...Ref, description: 'Id or name of a destination.' })),
    reason: Type.Optional(Enum([...failureReasons], { description: 'Why they failed.' })),
    objectName: idFilter('The provider’s name of the object.'),
  }),
  reply: { 200: Type.Array(DeadLetter) },
  run: async ({ db, query, operationId, url }) => {
    const destinationId = query.destination === undefined ? undefined : await destinationIdOf(db, query.destination)
    // A name of no destination matches nothing.
    if (query.destination !== undefined && destinationId === undefined) return reply(200, [])
    const filter = {
      destinationId,
      ...{ reason: query.reason, kind: query.kind, objectName: query.objectName },
      installationIds: await listNamedInstallations(db, query),
    }
    const { items, headers } = await pageOfMessages({ operationId, url, query }, (range, limit) =>
      listRows(db, { ...filter, ...range }, limit),
    )
    return reply(200, await withOwners(db, items), headers)
  },
})
