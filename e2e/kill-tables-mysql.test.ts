import { startMysqlTarget } from '../packages/server/src/features/messaging/kinds/mysql/conformance.testkit.ts'
import { hasMysqlServer } from '../packages/server/src/features/messaging/kinds/mysql/mysql-server.testkit.ts'
import { testTablesUnderKill } from './kill-tables.testkit.ts'

/** MySQL runs a trigger also for a row that stays as it was, so the values are compared. */
const isSame = (columns: string[]) => columns.map((name) => `old.${name} <=> new.${name}`).join(' and ')
const ofRecord = ['n', ...['installation', 'message', 'read_at', 'deleted_at', 'raw'].map((name) => `_mortise_${name}`)]
const ofMessage = ['id', 'kind', 'event_type', 'created_at', 'body']

testTablesUnderKill({
  type: 'mysql',
  start: startMysqlTarget,
  isThere: await hasMysqlServer(),
  log: [
    'create table effects (record varchar(100) not null, message varchar(36) not null)',
    ...logOf('contacts', ofRecord, 'new._mortise_id, new._mortise_message'),
    `create trigger contacts_removed after delete on contacts for each row
       insert into effects values (concat('removed ', old._mortise_id), old._mortise_message)`,
    ...logOf('_mortise_messages', ofMessage, "'kept', new.id"),
  ],
})

function logOf(table: string, columns: string[], effect: string): string[] {
  const insert = `insert into effects values (${effect})`
  return [
    `create trigger ${table}_inserted after insert on ${table} for each row ${insert}`,
    `create trigger ${table}_changed after update on ${table} for each row
       if not (${isSame(columns)}) then ${insert}; end if`,
  ]
}
