import { Type } from 'typebox'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { Enum, type ServerEvent } from '../../../kernel/http/index.ts'
import { follow, type PubSub } from '../../../kernel/pubsub/index.ts'
import { findLogs, listLogIds } from './log-stream-store.ts'
import { logsTopic } from './logs-topic.ts'
import type { LogSeverity, StreamedLog } from './model.ts'

const severities: LogSeverity[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR']

export const LeastSeverity = Type.Optional(
  Enum([...severities], {
    default: 'INFO',
    description: 'Lines of this severity and graver. A line for each page of a read has the severity `DEBUG`.',
  }),
)

/** Returns a severity and the graver ones. */
export function severitiesFrom(least: LogSeverity = 'INFO'): LogSeverity[] {
  return severities.slice(severities.indexOf(least))
}

export interface LogStreamOptions {
  signal: AbortSignal
  /** The last line that the client received. Absent: streams from now on. */
  after: string | undefined
  operationId?: string | undefined
  installationId?: string | undefined
  leastSeverity?: LogSeverity | undefined
}

/** Streams an event `log` for each line as it is written. */
export async function* logEvents(
  db: ProjectDb,
  { pubsub, newId }: { pubsub: PubSub; newId: NewId },
  options: LogStreamOptions,
): AsyncGenerator<ServerEvent> {
  const { signal, after, operationId, installationId, leastSeverity } = options
  const wanted = severitiesFrom(leastSeverity)
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
