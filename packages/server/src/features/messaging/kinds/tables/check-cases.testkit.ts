import pg from 'pg'
import { inject } from 'vitest'
import type { DatabaseTarget as Target } from './databases.testkit.ts'

export interface CheckedSettings {
  url: string
  schema?: string
  deletes?: string
}

export interface Case {
  what: string
  /** Makes the target, or the settings, such as the case says. */
  prepare(target: Target, settings: CheckedSettings): unknown
  error: RegExp
  /** An object whose records are not delivered: `contacts` by default, whose table is there before. */
  object?: string
  /** What is not delivered, in place of a record with an email. */
  entry?: object
}

/** What is no fault. */
export type Fine = Pick<Case, 'what' | 'prepare' | 'entry'>

const unreachable = {
  what: 'cannot be reached',
  // No port that the system gives to a server of another test.
  prepare(_: Target, settings: CheckedSettings) {
    settings.url = settings.url.replace(/127\.0\.0\.1:\d+/, '127.0.0.99:1100')
  },
  error: /127\.0\.0\.99:1100 refused the connection/,
}
const refusesPassword = {
  what: 'refuses the password',
  prepare: (target: Target) => target.behave('refuses the password'),
}
const noDatabase = {
  what: 'has no such database',
  prepare(_: Target, settings: CheckedSettings) {
    settings.url = settings.url.replace(/\/[a-z0-9_]+\?/, '/missing?')
  },
}
const droppedColumn = {
  what: 'has a table without a column of Mortise',
  prepare: (target: Target) => target.query('alter table contacts drop column _mortise_raw'),
}

export const byGroup = 'crm_{{groupRef}}'

const ofPostgres: Case[] = [
  unreachable,
  { ...refusesPassword, error: /refused the password \(28P01\)/ },
  { ...noDatabase, error: /has no database of this name \(3D000\)/ },
  {
    what: 'has no such schema',
    prepare: (_, settings) => {
      settings.schema = 'missing'
    },
    error: /has no schema of this name: create it \(3F000\)/,
  },
  {
    what: 'does not permit to create a table',
    prepare(target, settings) {
      settings.schema = 'crm'
      return target.query('create schema crm; revoke create on schema crm from mortise_owner')
    },
    error: /This user needs CREATE on the schema crm\. Run: grant create on schema "crm" to "mortise_owner"\.$/,
  },
  {
    what: 'does not permit to create a schema for a group',
    async prepare(target, settings) {
      const [found] = await target.query<{ name: string }>('select current_database() as name')
      await target.query(`revoke create on database ${found?.name} from mortise_owner`)
      settings.schema = byGroup
    },
    error: /does not permit this user to create a schema \(42501\)/,
  },
  ...['insert', 'update'].map((permission) => ({
    what: `does not permit to ${permission} records of an object`,
    prepare: (target: Target) => target.query(`revoke ${permission} on contacts from mortise_owner`),
    error: /does not permit this user to write the table public\.contacts \(42501\)/,
  })),
  {
    what: 'does not permit to write the table of a group',
    prepare(target, settings) {
      settings.schema = byGroup
      return target.query(`create schema crm_acme; create table crm_acme.contacts (like contacts including all);
        revoke insert on crm_acme.contacts from mortise_owner`)
    },
    error: /does not permit this user to write the table crm_acme\.contacts \(42501\)/,
  },
  { ...droppedColumn, error: /42703\. Table: public\.contacts\./ },
  {
    what: 'has a table of another role, which must add the columns of new fields',
    prepare: ownedByOther,
    error:
      /The table public\.contacts belongs to the role postgres, .* alter table "public"\."contacts" owner to "mortise_owner"\.$/,
    entry: { fields: { email: 'a', phone: '1' } },
  },
  {
    what: 'has row-level security that refuses rows',
    prepare: (target) =>
      target.query(`alter table contacts enable row level security, force row level security;
        create policy reads on contacts using (true) with check (email <> 'a')`),
    error:
      /Row-level security of the table public\.contacts .* bypassrls\. Or: create policy mortise on .* \(true\)\.$/,
  },
  {
    what: 'has row-level security without a policy to delete',
    prepare(target, settings) {
      settings.deletes = 'hard'
      const open = ['select', 'insert', 'update'].map(
        (command) =>
          `create policy ${command}_all on contacts for ${command} ${command === 'insert' ? '' : 'using (true)'} ${command === 'select' ? '' : 'with check (true)'}`,
      )
      return target.query(`alter table contacts enable row level security, force row level security; ${open.join(';')};
        create table _mortise_deleted (record text primary key, message uuid not null, deleted_at timestamptz not null);
        create function stop() returns trigger language plpgsql as $$ begin
          if not exists (select from contacts where _mortise_id = '1') then return null; end if; raise 'hidden'; end $$;
        create trigger stop after insert on _mortise_deleted for each row execute function stop()`)
    },
    error: /Row-level security of the table public\.contacts/,
    entry: { id: '1', deleted: true },
  },
  {
    what: 'has row-level security with a restrictive policy',
    prepare: (target) =>
      target.query(`alter table contacts enable row level security, force row level security;
        create policy every on contacts using (true); create policy others on contacts as restrictive using (email <> 'a')`),
    error: /Row-level security of the table public\.contacts/,
  },
  {
    what: 'does not permit to use the schema',
    prepare(target, settings) {
      settings.schema = 'crm'
      return target.query('create schema crm; revoke usage on schema crm from mortise_owner')
    },
    error: /This user needs USAGE on the schema crm\. Run: grant usage on schema "crm" to "mortise_owner"\.$/,
  },
  {
    what: 'does not permit to use the schema of a group',
    prepare(target, settings) {
      settings.schema = byGroup
      return target.query('create schema crm_acme; revoke all on schema crm_acme from mortise_owner')
    },
    error: /This user needs USAGE and CREATE on the schema crm_acme\. Run: grant usage, create on schema "crm_acme"/,
  },
  {
    what: 'makes transactions read-only',
    prepare: (target) =>
      target.query(`do $$ begin
        execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`),
    error: /read-only\. Run: alter role "mortise_owner" set default_transaction_read_only = off\.$/,
  },
  {
    what: 'has a column that requires a value',
    prepare: (target) =>
      target.query(`alter table contacts add owner text; update contacts set owner = 'me';
        alter table contacts alter owner set not null`),
    error: /The column owner of the table public\.contacts takes no null .* alter column "owner" drop not null\.$/,
  },
  {
    what: 'has a field that requires a value, which deletions do not have',
    prepare: (target) => target.query('alter table contacts alter email set not null'),
    error: /The column email of the table public\.contacts takes no null/,
    entry: { deleted: true },
  },
  {
    what: 'does not permit to remove rows',
    prepare(target, settings) {
      settings.deletes = 'hard'
      return target.query('revoke delete on contacts from mortise_owner')
    },
    error: /does not permit this user to write the table public\.contacts \(42501\)/,
    entry: { deleted: true },
  },
  {
    what: 'does not permit to remember removed rows',
    async prepare(target, settings) {
      settings.deletes = 'hard'
      await target.query(`create table _mortise_deleted (record text primary key, message uuid not null, deleted_at timestamptz not null);
        revoke insert on _mortise_deleted from mortise_owner`)
    },
    error: /does not permit this user to write the table public\._mortise_deleted \(42501\)/,
    entry: { deleted: true },
  },
]

const fineOfPostgres: Fine[] = [
  {
    what: 'policies that let every row through',
    prepare: (target) =>
      target.query(`alter table contacts enable row level security, force row level security;
        create policy every on contacts using (true); create policy all_of on contacts as restrictive using (true)`),
  },
  {
    what: 'row-level security that does not apply to the owner',
    prepare: (target) => target.query('alter table contacts enable row level security'),
  },
  {
    what: 'a trigger that fills a column which requires a value',
    prepare: (target) =>
      target.query(`alter table contacts add owner text; update contacts set owner = 'me';
        alter table contacts alter owner set not null;
        create function fill() returns trigger language plpgsql as $$ begin new.owner := 'me'; return new; end $$;
        create trigger fill before insert on contacts for each row execute function fill()`),
  },
  {
    what: 'columns that require a value and have a default, or are generated',
    prepare: (target) =>
      target.query(`alter table contacts add owner text not null default 'me', add number bigint generated always as identity,
        add phone text generated always as (upper(email)) stored`),
    entry: { fields: { email: 'b', phone: '1' } },
  },
]

/** As the superuser, whom the tables of others belong to. */
async function ownedByOther(target: Target): Promise<void> {
  const [found] = await target.query<{ name: string }>('select current_database() as name')
  const admin = new pg.Client({ ...inject('postgres'), user: 'postgres', database: found?.name ?? '' })
  await admin.connect()
  await admin.query('alter table contacts owner to postgres; grant all on contacts to mortise_owner')
  await admin.end()
}

const ofMysql: Case[] = [
  unreachable,
  { ...refusesPassword, error: /refused the user name or the password \(1045\)/ },
  { ...noDatabase, error: /does not permit this user to use the database, or has none of this name \(1044\)/ },
  {
    what: 'does not permit to create a table',
    prepare: async (target) => target.query(`revoke create on ${await nameOf(target)}.* from ${await nameOf(target)}`),
    error: /does not permit this user to create a table \(1142\)/,
    object: 'deals',
  },
  ...['insert', 'update'].map((permission) => ({
    what: `does not permit to ${permission} records of an object`,
    async prepare(target: Target) {
      const name = await nameOf(target)
      await target.query(`revoke ${permission} on ${name}.* from ${name}`)
      await target.query(`grant ${permission} on ${name}._mortise_messages to ${name}`)
    },
    error: /does not permit this user to write the table contacts \(114[23]\)/,
  })),
  { ...droppedColumn, error: /1054\. Table: contacts\./ },
  {
    what: 'does not permit to add the columns of new fields',
    prepare: async (target) => target.query(`revoke alter on ${await nameOf(target)}.* from ${await nameOf(target)}`),
    error: /does not permit this user to add columns to the table contacts: grant alter on it \(1142\)\.$/,
    entry: { fields: { email: 'a', phone: '1' } },
  },
  {
    what: 'has a column that requires a value',
    prepare: (target) => target.query('alter table contacts add owner varchar(20) not null'),
    error:
      /The column owner of the table contacts takes no null .* alter table `contacts` modify `owner`\. If a trigger/,
  },
  {
    what: 'does not permit to remove rows',
    async prepare(target, settings) {
      settings.deletes = 'hard'
      const name = await nameOf(target)
      await target.query(`revoke delete on ${name}.* from ${name}`)
    },
    error: /does not permit this user to remove rows from the table contacts: grant delete on it \(1142\)\.$/,
    entry: { deleted: true },
  },
  {
    what: 'does not permit to remember removed rows',
    async prepare(target, settings) {
      settings.deletes = 'hard'
      await target.query('create table _mortise_deleted (record int)')
    },
    error: /1054\. Table: _mortise_deleted\.$/,
    entry: { deleted: true },
  },
]

const fineOfMysql: Fine[] = [
  {
    what: 'a trigger that fills a column which requires a value',
    async prepare(target) {
      await target.query('alter table contacts add owner varchar(20) not null')
      await target.query("create trigger fill before insert on contacts for each row set new.owner = 'me'")
    },
  },
  {
    what: 'columns that require a value and have a default, or are generated',
    prepare: (target) =>
      target.query(`alter table contacts add owner varchar(20) not null default 'me',
        add number bigint not null auto_increment unique, add phone longtext as (upper(email))`),
    entry: { fields: { email: 'b', phone: '1' } },
  },
]

/** The name of the database, and of its user. */
async function nameOf(target: Target): Promise<string> {
  const [found] = await target.query<{ name: string }>('select database() as name')
  return found?.name ?? ''
}

/** The cases of each kind. */
export const casesByKind: Record<string, { cases: Case[]; fine: Fine[] }> = {
  postgres: { cases: ofPostgres, fine: fineOfPostgres },
  mysql: { cases: ofMysql, fine: fineOfMysql },
}
