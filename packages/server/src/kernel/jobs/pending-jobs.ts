/**
 * A waiting or running job in a backup: what is needed to enqueue it again. It does not depend on the tables of the
 * queue, so that a backup works with other versions of the queue.
 */
export interface PendingJob {
  queue: string
  id: string
  data: object
  key: string | null
  group: string | null
  /** RFC 3339. */
  startAfter: string
}

/**
 * Selects every pending job as one JSON object per row, oldest first. A running job counts as waiting, because its
 * worker is not in the backup.
 */
export const pendingJobsQuery = `
  select json_build_object('queue', name, 'id', id, 'data', data, 'key', singleton_key, 'group', group_id,
                           'startAfter', to_char(start_after at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from mortise_jobs.job where state < 'completed' order by created_on, id`
