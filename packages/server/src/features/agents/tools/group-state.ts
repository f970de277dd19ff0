import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import {
  findInstallation,
  type InstallationRecord,
  listInstallationsOfGroup,
} from '../../integrations/installations/index.ts'

/** What decides which tools a group has, in a few ids. */
export interface GroupState {
  /** A digest of the names and newest revisions of all integrations of the project. */
  version: string
  /** The group's installations, the newest of each integration. */
  installed: InstalledState[]
}

interface InstalledState {
  id: string
  integrationId: string
  configId: string
  connectionId: string
}

/** A group with more installations has the tools of its newest ones. */
const installationsMax = 200

/** Reads the state of a group. Contents are read only if it has changed. */
export async function groupState(db: ProjectDb, groupRef: string): Promise<GroupState> {
  const { rows } = await sql<GroupState>`${prepared}
    select
      (select coalesce(md5(string_agg(latest_revision_id::text || name, ',' order by id)), '')
         from integrations where project_id = ${db.projectId}) as version,
      (select coalesce(json_agg(json_build_object('id', n.id, 'integrationId', n.integration_id, 'configId', n.config_id,
                'connectionId', n.connection_id)), '[]')
         from (select id, integration_id, config_id, connection_id from installations
                where project_id = ${db.projectId} and group_ref = ${groupRef}
                order by id desc limit ${installationsMax}) n) as installed`.execute(db.sql)
  const { version, installed } = rows[0] as GroupState
  const newest = new Map<string, InstalledState>()
  for (const one of installed) if (!newest.has(one.integrationId)) newest.set(one.integrationId, one)
  return { version, installed: [...newest.values()] }
}

/** Contents of installations may be large. */
const recordsMax = 300

type KnownRecord = { state: string; record: InstallationRecord }
const caches = new WeakMap<object, LRUCache<string, KnownRecord>>()

function cacheOf(owner: object): LRUCache<string, KnownRecord> {
  const cache = caches.get(owner) ?? new LRUCache<string, KnownRecord>({ max: recordsMax })
  caches.set(owner, cache)
  return cache
}

function stateOf(version: string, { configId, connectionId }: InstalledState): string {
  return `${version} ${configId} ${connectionId}`
}

/** Returns the group's installation of an integration, from the cache of the owner while nothing has changed. */
export async function installedRecord(
  db: ProjectDb,
  owner: object,
  { version, installed }: GroupState,
  integrationId: string,
): Promise<InstallationRecord | undefined> {
  const found = installed.find((one) => one.integrationId === integrationId)
  if (!found) return undefined
  const cache = cacheOf(owner)
  const known = cache.get(found.id)
  if (known?.state === stateOf(version, found)) return known.record
  const record = await findInstallation(db, found.id)
  if (record) cache.set(found.id, { state: stateOf(version, found), record })
  return record
}

/** Returns the group's installations of some integrations: those that are not in the cache, in one statement. */
export async function installedRecords(
  db: ProjectDb,
  owner: object,
  { version, installed }: GroupState,
  groupRef: string,
  integrationIds: readonly string[],
): Promise<InstallationRecord[]> {
  const cache = cacheOf(owner)
  const wanted = installed.filter(({ integrationId }) => integrationIds.includes(integrationId))
  const known = wanted.map((one) => {
    const entry = cache.get(one.id)
    return entry?.state === stateOf(version, one) ? entry.record : undefined
  })
  if (known.every((record) => record !== undefined)) return known
  const records = await listInstallationsOfGroup(db, groupRef, integrationIds)
  for (const record of records) {
    const state = wanted.find(({ id }) => id === record.id)
    if (state) cache.set(record.id, { state: stateOf(version, state), record })
  }
  return records
}
