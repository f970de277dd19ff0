import { type Static, Type } from 'typebox'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { Enum, named, type ServerEvent } from '../../../kernel/http/index.ts'
import { follow } from '../../../kernel/pubsub/index.ts'
import type { Services } from '../../../services.ts'
import { findLogs, listLogIds } from './log-stream-store.ts'
import { logsTopic } from './logs-topic.ts'
import { type LogSeverity, OperationLog } from './model.ts'

export const severities: LogSeverity[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR']

export const LeastSeverity = Type.Optional(Enum([...severities], { description: 'Lines of this severity and graver.' }))

export const StreamedLog = named(
  'StreamedLog',
  Type.Object({
    ...OperationLog.properties,
    id: Type.String({ description: 'Id of the line.' }),
    operationId: Type.String({ description: 'Id of the operation.' }),
    installationId: Type.String({ description: 'Id of the installation.' }),
    resource: Type.Optional(Type.String({ description: 'Name of the object.' })),
  }),
)
export type StreamedLog = Static<typeof StreamedLog>

export interface LogStreamOptions {
  signal: AbortSignal
  /** The last line that was had; from now on when absent. */
  after: string | undefined
  operationId?: string | undefined
  installationId?: string | undefined
  leastSeverity?: LogSeverity | undefined
}

/** An event `log` for each line as it is written. */
export async function* logEvents(
  db: ProjectDb,
  { pubsub, newId }: Pick<Services, 'pubsub' | 'newId'>,
  options: LogStreamOptions,
): AsyncGenerator<ServerEvent> {
  const { signal, after, operationId, installationId, leastSeverity = 'DEBUG' } = options
  const wanted = severities.slice(severities.indexOf(leastSeverity))
  let position = after ?? newId()
  const followed = follow<StreamedLog>({
    pubsub,
    newId,
    topic: logsTopic(db.projectId),
    signal,
    after,
    idsAfter: (behind, limit) => listLogIds(db, { after: behind, operationId, limit }),
    fetch: (ids) => findLogs(db, { ids, operationId, installationId, severities: wanted }),
    fetchMax: 100,
  })
  for await (const { item } of followed) {
    if (item.id > position) position = item.id
    yield { id: position, event: 'log', data: item }
  }
}
