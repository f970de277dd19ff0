/**
 * A job that waits or runs, as a backup keeps it: what is needed to enqueue it anew, and nothing of how the queue
 * stores it, so that a backup outlives versions of the queue.
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
 * Every pending job as one JSON object a row, oldest first. One that runs counts as waiting: whoever runs it is not in
 * the backup.
 */
export const pendingJobsQuery = `
  select json_build_object('queue', name, 'id', id, 'data', data, 'key', singleton_key, 'group', group_id,
                           'startAfter', to_char(start_after at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from mortise_jobs.job where state < 'completed' order by created_on, id`
