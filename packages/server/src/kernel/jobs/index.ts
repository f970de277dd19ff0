export { type Job, type JobReference, type JobRun, job, jobReference, Permanent, Transient } from './job.ts'
export { type PendingJob, pendingJobsQuery } from './pending-jobs.ts'
export { type Enlistable, insertedJob, JobQueue } from './queue.ts'
export { startTicks, type Tick } from './tick.ts'
