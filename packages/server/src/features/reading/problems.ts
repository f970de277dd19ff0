import { problem } from '../../kernel/http/index.ts'

export const NoBackfill = problem({
  code: 'no-backfill',
  status: 404,
  title: 'No backfill',
  detail: 'This object of the installation has had no backfill.',
  remedy:
    'Declare `backfill` on the object in the manifest or the config; objects that are installed afterwards are backfilled.',
  retryable: false,
  subsystem: 'reading',
})
