import type pg from 'pg'
import { newId } from '../../packages/server/src/kernel/db/index.ts'

const perStatement = 20_000
/** A message with one record. */
const payload = Buffer.from(
  JSON.stringify({
    action: 'read',
    resultInfo: { type: 'inline', numRecords: 1 },
    result: [{ fields: { notes: 'n'.repeat(500) } }],
  }),
)

/**
 * Inserts messages of one installation that wait at a destination, as the service posts them: above ten a second, their
 * order times lie ahead, by six hours at most.
 */
export async function insertWaiting(
  client: pg.Client,
  { destinationName, count }: { destinationName: string; count: number },
): Promise<void> {
  const installationId = newId()
  for (let from = 0; from < count; from += perStatement) {
    const ids = Array.from({ length: Math.min(perStatement, count - from) }, () => newId())
    await client.query(
      `insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, payload, payload_bytes, has_result, order_at)
       select d.project_id, new.id, d.id, d.name, 'read', $2::uuid, $3::bytea, length($3::bytea), false,
              now() + least((new.n + $4::int) * interval '100 ms', interval '6 hours')
         from destinations d, unnest($5::uuid[]) with ordinality new (id, n)
        where d.name = $1`,
      [destinationName, installationId, payload, from, ids],
    )
  }
  await client.query('vacuum analyze messages')
}
