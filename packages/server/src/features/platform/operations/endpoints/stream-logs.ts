import { Type } from 'typebox'
import { isId, type NewId } from '../../../../kernel/db/index.ts'
import { endpoint, lastEventId, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { assertStreamSlot, type PubSub, streamOf, TooManyStreams } from '../../../../kernel/pubsub/index.ts'
import { LeastSeverity, logEvents } from '../log-stream.ts'
import { isInstallation } from '../log-stream-store.ts'
import { logsTopic } from '../logs-topic.ts'
import { StreamedLog } from '../model.ts'
import { OperationInstallationNotFound } from '../problems.ts'

export const streamLogs = endpoint({
  id: 'streamLogs',
  method: 'GET',
  path: '/projects/{projectIdOrName}/logs:stream',
  access: 'view',
  summary: 'Follow the logs of all operations of a project.',
  description:
    'Server-sent events: a `log` for each new line. With the header Last-Event-ID, the stream continues after that event; some lines may arrive twice. It ends after an hour.',
  tag: 'Operations',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    installationId: Type.Optional(
      Type.String({ maxLength: 512, description: 'Returns only lines of this installation.' }),
    ),
    severity: LeastSeverity,
  }),
  reply: { 200: Type.Unsafe<string>({ ...StreamedLog, description: 'Events; `data` is as JSON what is shown here.' }) },
  produces: 'text/event-stream',
  problems: [OperationInstallationNotFound, TooManyStreams],
  run: async ({ db, query, headers, signal }, services: { pubsub: PubSub; newId: NewId }) => {
    const { installationId } = query
    if (installationId !== undefined && !(isId(installationId) && (await isInstallation(db, installationId))))
      throw new OperationInstallationNotFound({ detail: 'This project has no installation with that id.' })
    assertStreamSlot(services.pubsub, logsTopic(db.projectId))
    const last = lastEventId(headers)
    const source = logEvents(db, services, {
      signal,
      after: last !== undefined && isId(last) ? last.toLowerCase() : undefined,
      installationId,
      leastSeverity: query.severity,
    })
    return reply(200, streamOf({ signal, source }))
  },
})
