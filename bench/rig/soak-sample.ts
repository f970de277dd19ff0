import { readdir } from 'node:fs/promises'
import type pg from 'pg'
import type { SoakSample } from '../measure/soak-judge.ts'
import { first } from './first.ts'
import type { Service } from './service.ts'

/** Takes what a sample has of the service and its database. */
export async function takeSample(
  service: Service,
  client: pg.Client,
): Promise<Pick<SoakSample, 'resident' | 'heap' | 'handles' | 'connections' | 'tables'>> {
  const [memory, handles, connections, tables] = [
    await service.memory(),
    await readdir(`/proc/${service.pid}/fd`),
    await client.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and usename <> 'postgres'`,
    ),
    await client.query<{ name: string; live: number; dead: number; bytes: number }>(
      `select relname as name, n_live_tup::float8 as live, n_dead_tup::float8 as dead,
              pg_total_relation_size(relid)::float8 as bytes
         from pg_stat_user_tables where schemaname like 'mortise%' and (n_live_tup > 0 or n_dead_tup > 0)`,
    ),
  ]
  return {
    ...memory,
    handles: handles.length,
    connections: first(connections.rows).count,
    tables: Object.fromEntries(tables.rows.map(({ name, live, dead, bytes }) => [name, { live, dead, bytes }])),
  }
}
