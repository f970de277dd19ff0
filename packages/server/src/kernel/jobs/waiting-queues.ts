import type pg from 'pg'

/** Which of these queues hold a job that is due. Prepared: it runs twice a second on every node. */
export async function findWaitingQueues(pool: pg.Pool, queues: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `/* prepared */ select name from unnest($1::text[]) queue (name)
      where exists (select from mortise_jobs.job
                     where job.name = queue.name and state < 'active' and not blocked and start_after <= now())`,
    [queues],
  )
  return rows.map(({ name }) => name)
}
