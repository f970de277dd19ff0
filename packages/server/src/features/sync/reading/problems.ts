import { problem } from '../../../kernel/http/index.ts'

export const NoBackfill = problem({
  code: 'no-backfill',
  status: 404,
  title: 'Backfill not found',
  detail: 'This object of the installation has had no backfill.',
  remedy:
    'Declare `backfill` on the object in the manifest or the config. Objects that are installed later are backfilled.',
  retryable: false,
  subsystem: 'reading',
})
