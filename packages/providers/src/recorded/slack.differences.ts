import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Mortise takes samples of both lists, public and private channels. The recording has one list.',
    cases: ['metadata-conversations'],
    alsoRequested: [
      { path: '/api/conversations.list', query: { types: 'private_channel' }, body: { ok: true, channels: [] } },
    ],
    otherwise: ['"query":{"limit":"1"}', '"query":{}'],
  },
  {
    why: 'Slack lists public and private channels separately here. Mortise reads private channels next.',
    cases: ['read-conversations-following-page-last-page'],
    expect: { done: false },
  },
]
