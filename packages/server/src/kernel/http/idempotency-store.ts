import { type Kysely, sql } from 'kysely'
import { prepared, type Tables } from '../db/index.ts'

/** How long an answer is kept: within that time a key means the same request. */
const keptHours = 24

export interface IdempotencyRow {
  fingerprint: Buffer
  /** Null while the first request runs. */
  status: number | null
  encrypted_answer: string | null
  /** Since the first request began. */
  age_ms: number
}

/** Names a row. Requests of builders that name no project have a table without projects. */
export interface IdempotencyId {
  id: Buffer
  projectId: string | undefined
}

type OfProject = Pick<IdempotencyId, 'projectId'>

const tableOf = ({ projectId }: OfProject) =>
  projectId === undefined ? sql.table('builder_idempotency_keys') : sql.table('idempotency_keys')

const keyOf = ({ projectId }: OfProject) => (projectId === undefined ? sql`id` : sql`project_id, id`)

const ofProject = ({ projectId }: OfProject) => (projectId === undefined ? sql`` : sql`${projectId}::uuid, `)

const isRow = ({ id, projectId }: IdempotencyId) =>
  projectId === undefined ? sql`id = ${id}` : sql`project_id = ${projectId} and id = ${id}`

export interface NewClaim {
  id: Buffer
  fingerprint: Buffer
}

/**
 * Takes keys for requests of one project, or of builders that name none. Returns which of them it took; another request
 * has the others. One that is past its time counts as free, purged or not. All claims have different ids.
 *
 * Does not wait until the claims are on disk. Whatever a request commits later is written after its claim. A crash of
 * PostgreSQL that loses the claim loses the request, too.
 */
export async function claimIdempotencyKeys(
  db: Kysely<Tables>,
  project: OfProject,
  claims: readonly NewClaim[],
): Promise<Set<NewClaim>> {
  // In the order of the ids: two nodes that claim the same keys wait for each other, but never both.
  const inOrder = claims.toSorted((a, b) => a.id.compare(b.id))
  const [ids, fingerprints] = [inOrder.map(({ id }) => id), inOrder.map(({ fingerprint }) => fingerprint)]
  const { rows } = await sql<{ id: Buffer }>`${prepared}
    with unhurried as materialized (select set_config('synchronous_commit', 'off', true))
    insert into ${tableOf(project)} as kept (${keyOf(project)}, fingerprint)
    select ${ofProject(project)}claim.id, claim.fingerprint
      from unhurried, unnest(${ids}::bytea[], ${fingerprints}::bytea[]) as claim (id, fingerprint)
    on conflict (${keyOf(project)}) do update
       set fingerprint = excluded.fingerprint, status = null, encrypted_answer = null, create_time = now()
     where kept.create_time < now() - make_interval(hours => ${keptHours})
    returning id`.execute(db)
  return new Set(claims.filter(({ id }) => rows.some((row) => row.id.equals(id))))
}

export async function findIdempotencyKey(db: Kysely<Tables>, key: IdempotencyId): Promise<IdempotencyRow | undefined> {
  const { rows } = await sql<IdempotencyRow>`
    select fingerprint, status, encrypted_answer, (extract(epoch from now() - create_time) * 1000)::float8 as age_ms
      from ${tableOf(key)} where ${isRow(key)}`.execute(db)
  return rows[0]
}

export interface NewAnswer {
  id: Buffer
  status: number
  encrypted: string
}

/** Stores the responses of requests of one project, or of builders that name none. */
export async function updateIdempotencyAnswers(
  db: Kysely<Tables>,
  project: OfProject,
  answers: readonly NewAnswer[],
): Promise<void> {
  const [ids, statuses, texts] = [
    answers.map(({ id }) => id),
    answers.map(({ status }) => status),
    answers.map(({ encrypted }) => encrypted),
  ]
  const isOfProject = project.projectId === undefined ? sql`` : sql`k.project_id = ${project.projectId} and `
  await sql`${prepared}
    update ${tableOf(project)} as k set status = answer.status, encrypted_answer = answer.encrypted
      from unnest(${ids}::bytea[], ${statuses}::smallint[], ${texts}::text[]) as answer (id, status, encrypted)
     where ${isOfProject}k.id = answer.id`.execute(db)
}

/** Gives a key back that its request did not use up. */
export async function deleteIdempotencyKey(db: Kysely<Tables>, key: IdempotencyId): Promise<void> {
  await sql`delete from ${tableOf(key)} where ${isRow(key)} and status is null`.execute(db)
}

/** Forgets keys that are past their time, at most `limit` of each table; answers how many. */
export async function deleteOldIdempotencyKeys(db: Kysely<Tables>, limit = 5_000): Promise<number> {
  const old = sql`create_time < now() - make_interval(hours => ${keptHours})
       order by create_time limit ${limit} for update skip locked`
  const ofProjects = await sql`
    delete from idempotency_keys where (project_id, id) in (
      select project_id, id from idempotency_keys where ${old})`.execute(db)
  const ofBuilders = await sql`
    delete from builder_idempotency_keys where id in (select id from builder_idempotency_keys where ${old})`.execute(db)
  return Number((ofProjects.numAffectedRows ?? 0n) + (ofBuilders.numAffectedRows ?? 0n))
}
