import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import { groupPlaceholder, schemaForGroup } from '../group-ref.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { openTables } from '../tables/table-sender.ts'
import { checkTables } from './check-tables.ts'
import { connectPostgres, failureOf } from './postgres-connection.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { refusalOf } from './refusal.ts'
import { type PostgresSettings, targetOf } from './settings.ts'
import { Staging } from './staging.ts'

/** Stores the records of messages in the tables of a schema. */
export function openPostgres(settings: PostgresSettings, services: SenderServices): Sender {
  const { host, port } = targetOf(settings)
  const shown = shownHost(host, port)
  const { schema = 'public', deletes: deletions = 'soft' } = settings
  const isByGroup = schema.includes(groupPlaceholder)
  return openTables(
    {
      shown,
      deletions,
      async connect(options) {
        const { client, ...connection } = await connectPostgres(settings, services, options)
        const staging = new Staging(client)
        return {
          ...connection,
          databaseOf: (name) => new PostgresDatabase(client, { schema: name, isCreated: isByGroup, shown, staging }),
          check: (timeoutMs) => checkTables(client, { schema, deletions, shown, timeoutMs }),
        }
      },
      scopeOf: (body) => (isByGroup ? schemaForGroup(schema, body) : schema),
      failureOf(error, ended) {
        const failure = failureOf(error, ended, shown)
        return failure instanceof OutboundError ? failure : refusalOf(failure, shown)
      },
    },
    services,
  )
}
