import type { Differences } from './differences.testkit.ts'

const sessions = 'How the pages of sessions are requested is not documented well enough to read all of them.'

export const differences: Differences = {
  notRun: { 'metadata-sessions': sessions, 'read-sessions-last-page': sessions },
  declaredFields: ['metadata-webinars'],
  // All webinars of the account, where the recordings have the account's key in place of an organizer's.
  otherwise: {
    'read-webinars-has-next': ['/organizers/8967235839898/webinars', '/accounts/8967235839898/webinars'],
  },
}
