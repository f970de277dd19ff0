import type { DestinationKind } from '../kind.ts'
import { type MysqlTarget, startMysqlTarget } from '../mysql/conformance.testkit.ts'
import { mysql } from '../mysql/index.ts'
import { hasMysqlServer } from '../mysql/mysql-server.testkit.ts'
import { type PostgresTarget, startPostgresTarget } from '../postgres/conformance.testkit.ts'
import { postgres } from '../postgres/index.ts'

export type DatabaseTarget = PostgresTarget | MysqlTarget

/** A database in which records are rows, and whether this machine has one. */
export interface TestedDatabase {
  kind: DestinationKind
  start(): Promise<DatabaseTarget>
  isThere: boolean
}

/** The databases that tests of tables run with. */
export async function databasesToTest(): Promise<TestedDatabase[]> {
  return [
    { kind: postgres as DestinationKind, start: startPostgresTarget, isThere: true },
    { kind: mysql as DestinationKind, start: startMysqlTarget, isThere: await hasMysqlServer() },
  ]
}
