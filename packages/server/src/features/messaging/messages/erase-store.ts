import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** Selects the messages to erase. */
export interface ErasedMessages {
  /** Messages of these installations. */
  installationIds: string[]
  /**
   * Messages whose body contains this text, such as `"groupRef":"acme"`. This finds messages of installations that were
   * deleted since.
   */
  text: string
}

/**
 * Erases one range of a project's messages with their attempts and large results: after `after`, below `before`. Checks
 * the body of each message, so a range is short. One statement deletes all rows of the range.
 *
 * @returns the start of the next range; undefined when there is none
 */
export async function eraseMessages(
  db: ProjectDb,
  { installationIds, text }: ErasedMessages,
  { after, before, limit }: { after: string | null; before: string; limit: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ last: string | null; seen: number }>`
    with stretch as materialized (
      select id, coalesce(installation_id = any(${installationIds}::uuid[]), false)
               or position(convert_to(${text}, 'UTF8') in payload) > 0 as erased
        from messages
       where project_id = ${db.projectId} and (${after}::uuid is null or id > ${after}) and id < ${before}
       order by id limit ${limit}
    ), gone as (
      delete from messages where project_id = ${db.projectId} and id in (select id from stretch where erased)
    ), gone_results as (
      delete from message_results where project_id = ${db.projectId} and id in (select id from stretch where erased)
    ), gone_attempts as (
      delete from attempts where project_id = ${db.projectId} and message_id in (select id from stretch where erased)
    )
    select count(*)::int as seen, (array_agg(id order by id desc))[1] as last from stretch`.execute(db.sql)
  const found = rows[0]
  return found && found.seen === limit && found.last !== null ? found.last : undefined
}

/**
 * Erases messages of installations from an id on, except notifications. These belong to pages that were in progress
 * when the installations were deleted.
 */
export async function eraseLateMessages(db: ProjectDb, installationIds: string[], from: string): Promise<void> {
  await sql`
    with erased as materialized (
      select id from messages
       where project_id = ${db.projectId} and installation_id = any(${installationIds}::uuid[]) and id >= ${from}
         and kind <> 'notification'
    ), gone_results as (
      delete from message_results where project_id = ${db.projectId} and id in (select id from erased)
    ), gone_attempts as (
      delete from attempts where project_id = ${db.projectId} and message_id in (select id from erased)
    )
    delete from messages where project_id = ${db.projectId} and id in (select id from erased)`.execute(db.sql)
}
