import type { Differences } from './differences.testkit.ts'

const each = 'Each event has a registration here, after a request for the id of its object: open-subscriber.test.ts.'

export const differences: Differences = {
  // The records that a reference may point at are not choices: there is no end to them.
  leftOut: { 'metadata-lists-workspace-members-notes-tasks-companies-us': ['companies.fields.team.values'] },
  notRun: {
    'subscribe-unsupported-object-error': each,
    'subscribe-lists-tasks': each,
    'subscribe-people-companies': each,
    'subscribe-lists-people': each,
    'updateSubscription-lists': each,
  },
  accountByUrl: true,
  eventObjects: { note: 'notes', 'note-content': 'notes', 'workspace-member': 'workspace_members', record: 'people' },
}
