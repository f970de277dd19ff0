import { type Differences, eventObjects, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The account has the id of its owner without `include`, and Mortise reads no more of the owner.',
    cases: ['readByIds-accounts-2'],
    otherwise: [',"include":"owner"', ''],
  },
  { why: unknownObject, cases: ['create-arsenal-error'], unknownObject: 'accounts' },
  { why: eventObjects, cases: ['webhookEvent-account-created'], names: { account: 'accounts' } },
  { why: eventObjects, cases: ['webhookEvent-prospect-updated'], names: { prospect: 'prospects' } },
  { why: eventObjects, cases: ['webhookEvent-task-destroyed'], names: { task: 'tasks' } },
  { why: eventObjects, cases: ['webhookEvent-sequence-created'], names: { sequence: 'sequences' } },
]
