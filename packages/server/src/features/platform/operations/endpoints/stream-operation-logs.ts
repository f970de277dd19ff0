import { Type } from 'typebox'
import { firstIdAt, isId, type NewId, timeOfId } from '../../../../kernel/db/index.ts'
import { endpoint, lastEventId, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { assertStreamSlot, type PubSub, streamOf, TooManyStreams } from '../../../../kernel/pubsub/index.ts'
import { LeastSeverity, logEvents } from '../log-stream.ts'
import { logsTopic } from '../logs-topic.ts'
import { StreamedLog } from '../model.ts'
import { OperationNotFound } from '../problems.ts'
import { findOperation } from '../store.ts'

export const streamOperationLogs = endpoint({
  id: 'streamOperationLogs',
  method: 'GET',
  path: '/projects/{projectIdOrName}/operations/{operationId}/logs:stream',
  access: 'view',
  summary: 'Follow the log of an operation.',
  description:
    'Server-sent events: a `log` for each line, existing lines first. With the header Last-Event-ID, the stream continues after that event; some lines may arrive twice. It ends after an hour.',
  tag: 'Operations',
  extension: true,
  params: Path({ ...ProjectPath.properties, operationId: Ref }),
  query: Type.Object({ severity: LeastSeverity }),
  reply: { 200: Type.Unsafe<string>({ ...StreamedLog, description: 'Events; `data` is as JSON what is shown here.' }) },
  produces: 'text/event-stream',
  problems: [OperationNotFound, TooManyStreams],
  run: async ({ db, params, query, headers, signal }, services: { pubsub: PubSub; newId: NewId }) => {
    const found = isId(params.operationId) ? await findOperation(db, params.operationId) : undefined
    if (!found) throw new OperationNotFound()
    assertStreamSlot(services.pubsub, logsTopic(db.projectId))
    const last = lastEventId(headers)
    const source = logEvents(db, services, {
      signal,
      // Lines are not older than their operation.
      after: last !== undefined && isId(last) ? last.toLowerCase() : firstIdAt(timeOfId(found.id)),
      operationId: found.id,
      leastSeverity: query.severity,
    })
    return reply(200, streamOf({ signal, source }))
  },
})
