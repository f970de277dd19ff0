import { startPostgresTarget } from '../packages/server/src/features/messaging/kinds/postgres/conformance.testkit.ts'
import { testTablesUnderKill } from './kill-tables.testkit.ts'

testTablesUnderKill({
  type: 'postgres',
  start: startPostgresTarget,
  isThere: true,
  log: [
    'create table effects (record text not null, message text not null)',
    `create function log_record() returns trigger language plpgsql as $$
       begin insert into effects values (new._mortise_id, new._mortise_message); return null; end $$`,
    `create function log_kept() returns trigger language plpgsql as $$
       begin insert into effects values ('kept', new.id); return null; end $$`,
    `create function log_removed() returns trigger language plpgsql as $$
       begin insert into effects values ('removed ' || old._mortise_id, old._mortise_message); return null; end $$`,
    'create trigger removed after delete on contacts for each row execute function log_removed()',
    'create trigger effects after insert or update on contacts for each row execute function log_record()',
    'create trigger effects after insert or update on _mortise_messages for each row execute function log_kept()',
  ],
})
