import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'An update of Constant Contact replaces the whole contact. Mortise reads the contact first and keeps what the caller does not set.',
    cases: ['update-contacts'],
    alsoRequested: [
      {
        path: '/v3/contacts/af73e650-96f0-11ef-b2a0-fa163eafb85e',
        body: { contact_id: 'af73e650-96f0-11ef-b2a0-fa163eafb85e', first_name: 'Debora' },
      },
    ],
  },
]
