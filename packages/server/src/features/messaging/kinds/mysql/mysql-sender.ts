import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import { schemaForGroup } from '../group-ref.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { openTables } from '../tables/table-sender.ts'
import { checkTables } from './check-tables.ts'
import { connectMysql, failureOf } from './mysql-connection.ts'
import { MysqlDatabase } from './mysql-database.ts'
import { refusalOf } from './refusal.ts'
import { type MysqlSettings, targetOf } from './settings.ts'

/** Characters that the name of a database cannot have (MySQL Reference Manual, Schema Object Names). */
const beyondNames = /[\u{10000}-\u{10ffff}]/gu

/** Stores the records of messages in the tables of a database. */
export function openMysql(settings: MysqlSettings, services: SenderServices): Sender {
  const { host, port } = targetOf(settings)
  const shown = shownHost(host, port)
  const { database, deletes: deletions = 'soft' } = settings
  return openTables(
    {
      shown,
      deletions,
      async connect(options) {
        const { client, traits, ...connection } = await connectMysql(settings, services, options)
        return {
          ...connection,
          databaseOf: (name) =>
            new MysqlDatabase(client, { traits, shown, database: database === undefined ? undefined : name }),
          check: () => checkTables(client, { database, deletions, shown }),
        }
      },
      // A name that is not kept as it is ends with a hash of the group, so two groups still differ.
      scopeOf: (body) => (database === undefined ? '' : schemaForGroup(database, body).replaceAll(beyondNames, '_')),
      failureOf(error, ended) {
        const failure = failureOf(error, ended, shown)
        return failure instanceof OutboundError ? failure : refusalOf(failure, shown)
      },
    },
    services,
  )
}
