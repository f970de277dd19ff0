export { type Job, type JobRun, job, Permanent, Transient } from './job.ts'
export { type PendingJob, pendingJobsQuery } from './pending-jobs.ts'
export { type Enlistable, JobQueue } from './queue.ts'
export { startTicks, type Tick } from './tick.ts'
