import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { openTables } from '../tables/table-sender.ts'
import { checkTables } from './check-tables.ts'
import { connectMysql, failureOf } from './mysql-connection.ts'
import { MysqlDatabase } from './mysql-database.ts'
import { refusalOf } from './refusal.ts'
import { type MysqlSettings, targetOf } from './settings.ts'

/** Stores the records of messages in the tables of a database. */
export function openMysql(settings: MysqlSettings, services: SenderServices): Sender {
  const { host, port } = targetOf(settings)
  const shown = shownHost(host, port)
  return openTables(
    {
      shown,
      async connect(options) {
        const { client, traits, ...connection } = await connectMysql(settings, services, options)
        return {
          ...connection,
          databaseOf: () => new MysqlDatabase(client, { traits, shown }),
          check: () => checkTables(client, shown),
        }
      },
      failureOf(error, ended) {
        const failure = failureOf(error, ended, shown)
        return failure instanceof OutboundError ? failure : refusalOf(failure, shown)
      },
    },
    services,
  )
}
