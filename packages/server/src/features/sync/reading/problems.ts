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

export const ResendNotFound = problem({
  code: 'resend-not-found',
  status: 404,
  title: 'Resend not found',
  detail: 'Nothing was resent to this destination.',
  remedy: 'Start a resend of the destination first.',
  retryable: false,
  subsystem: 'reading',
})

export const ResendInProgress = problem({
  code: 'resend-in-progress',
  status: 409,
  title: 'Another resend is in progress',
  detail: 'A resend of this destination with other filters is in progress.',
  remedy: 'Wait until it ends, or cancel it.',
  retryable: true,
  subsystem: 'reading',
})

export const DestinationDisabled = problem({
  code: 'destination-disabled',
  status: 409,
  title: 'The destination is disabled',
  detail: 'Nothing can be resent to a disabled destination.',
  remedy: 'Enable the destination first.',
  retryable: false,
  subsystem: 'reading',
})
