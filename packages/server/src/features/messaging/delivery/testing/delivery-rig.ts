import { sql } from 'kysely'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { type NewMessage, postMessages } from '../../messages/index.ts'
import { deliver } from '../delivery-worker.ts'
import { poll } from '../poll.ts'

/** A row of `messages` in tests. */
export interface MessageRow {
  id: string
  state: string
  attempt: number
  destinationId: string | null
  leased: boolean
  /** Time until it is due, by the clock of the database. */
  dueInMs: number
}

/** A service whose deliveries run only when the test says so, with helpers for delivery tests. */
export interface DeliveryRig {
  app: TestApp
  create(url: string, headers?: Record<string, string>): Promise<{ id: string; name: string; secret: string }>
  post(destinationName: string, ...bodies: (unknown | Pick<NewMessage, 'payload' | 'result'>)[]): Promise<void>
  deliver(destinationId: string, signal?: AbortSignal): Promise<boolean>
  /** Looks for due destinations, as the service does every second, and returns what it found. */
  poll(): Promise<string[]>
  messages(destinationName: string): Promise<MessageRow[]>
  attempts(
    destinationId: string,
  ): Promise<{ number: number; status: number | null; error: string | null; response: string | null }[]>
  destination(id: string): Promise<{
    disabled: boolean
    reason: string | null
    failures: number
    firstFailureAt: Date | null
    probeInMs: number | null
    failedProbes: number
  }>
  /** Advances the time of a destination's rows: everything due within `ms` becomes due. */
  pass(destinationId: string, ms: number): Promise<void>
}

/** @param options the key of the service, for tests whose other processes open the same secrets */
export async function startDeliveryRig(options: { rootKey?: Buffer; logLevel?: string } = {}): Promise<DeliveryRig> {
  const app = await startTestApp({ env: { MORTISE_ROLES: 'api' }, ...options })
  const { services } = app.app
  const { db } = app
  let count = 0
  return {
    app,
    async create(url, headers) {
      const name = `to-${count++}`
      const metadata = { url, ...(headers && { headers }) }
      const made = await app.call<{ id: string }>('POST', '/projects/default/destinations', {
        name,
        type: 'webhook',
        metadata,
      })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      const found = await app.call<{ secrets: { webhookSigningKey: string } }>(
        'GET',
        `/projects/default/destinations/${made.body.id}?includeSecrets=true`,
      )
      return { id: made.body.id, name, secret: found.body.secrets.webhookSigningKey }
    },
    post: (destinationName, ...bodies) =>
      db.transaction((tx) =>
        postMessages(
          tx,
          services,
          bodies.map((body) => ({
            destinationName,
            kind: 'read' as const,
            ...(isCut(body) ? body : { payload: Buffer.from(JSON.stringify(body)) }),
          })),
        ),
      ),
    deliver: (destinationId, signal = new AbortController().signal) =>
      deliver({ ...services }, { projectId: app.projectId, destinationId, signal, random: () => 0.5 }),
    async poll() {
      const found: string[] = []
      const queue = {
        enqueueAll: async (_tx: unknown, _job: unknown, items: { key?: string }[]) => {
          found.push(...items.map(({ key }) => key ?? ''))
        },
      }
      await poll({ database: services.database, queue: queue as never })
      return found
    },
    async messages(destinationName) {
      const { rows } = await sql<MessageRow>`
        select id, state, attempt, destination_id as "destinationId", lease_token is not null as leased,
               (extract(epoch from next_attempt_at - now()) * 1000)::float8 as "dueInMs"
          from messages where destination_name = ${destinationName} order by id`.execute(db.sql)
      return rows
    },
    attempts: (destinationId) =>
      db.sql
        .selectFrom('attempts')
        .select(['number', 'status', 'error', 'response'])
        .where('destination_id', '=', destinationId)
        .orderBy('message_id')
        .orderBy('number')
        .execute(),
    async destination(id) {
      const { rows } = await sql<Awaited<ReturnType<DeliveryRig['destination']>>>`
        select disabled_time is not null as disabled, disabled_reason as reason, failure_count as failures, first_failure_at as "firstFailureAt",
               (extract(epoch from probe_at - now()) * 1000)::float8 as "probeInMs", failed_probes as "failedProbes"
          from destinations where id = ${id}`.execute(db.sql)
      if (!rows[0]) throw new Error('no such destination')
      return rows[0]
    },
    async pass(destinationId, ms) {
      const seconds = ms / 1000
      await sql`update messages set next_attempt_at = next_attempt_at - make_interval(secs => ${seconds}), lease_until = lease_until - make_interval(secs => ${seconds}) where destination_id = ${destinationId}`.execute(
        db.sql,
      )
      await sql`update destinations set first_failure_at = first_failure_at - make_interval(secs => ${seconds}), probe_at = probe_at - make_interval(secs => ${seconds}) where id = ${destinationId}`.execute(
        db.sql,
      )
    },
  }
}

function isCut(body: unknown): body is Pick<NewMessage, 'payload' | 'result'> {
  return typeof body === 'object' && body !== null && 'payload' in body && Buffer.isBuffer(body.payload)
}
