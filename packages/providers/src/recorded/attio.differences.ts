import { type Differences, eventObjects } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'A reference may point at any record of an object. Mortise does not list these records as choices, because there is no end to them.',
    cases: ['metadata-lists-workspace-members-notes-tasks-companies-us'],
    leftOut: ['objects.companies.fields.team.values'],
  },
  {
    why: 'Mortise registers a webhook for each event, and verifies its signature with the secret of the response. The recording has one request for all events, and a response without a secret.',
    cases: [
      'subscribe-unsupported-object-error',
      'subscribe-lists-tasks',
      'subscribe-people-companies',
      'subscribe-lists-people',
      'updateSubscription-lists',
    ],
    fails: true,
  },
  { why: eventObjects, cases: ['webhookEvent-two-events'], names: { note: 'notes', record: 'people' } },
  {
    why: 'Each account has its own URL for events, which identifies the account. Mortise does not read it from the event.',
    cases: ['webhookEvent-two-events'],
    leftOut: ['events.0.workspace', 'events.1.workspace'],
  },
  { why: eventObjects, cases: ['webhookEvent-note-updated'], names: { note: 'notes' } },
  {
    why: 'Each account has its own URL for events, which identifies the account. Mortise does not read it from the event.',
    cases: [
      'webhookEvent-note-updated',
      'webhookEvent-note-content-updated',
      'webhookEvent-workspace-member-created',
      'webhookEvent-record-created',
      'webhookEvent-record-deleted',
      'webhookEvent-record-merged',
    ],
    leftOut: ['events.0.workspace'],
  },
  { why: eventObjects, cases: ['webhookEvent-note-content-updated'], names: { 'note-content': 'notes' } },
  {
    why: eventObjects,
    cases: ['webhookEvent-workspace-member-created'],
    names: { 'workspace-member': 'workspace_members' },
  },
  {
    why: eventObjects,
    cases: ['webhookEvent-record-created', 'webhookEvent-record-deleted', 'webhookEvent-record-merged'],
    names: { record: 'people' },
  },
]
