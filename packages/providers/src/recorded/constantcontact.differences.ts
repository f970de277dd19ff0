import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // An update replaces the whole contact: what the caller leaves out is read first.
  requestedBefore: {
    'update-contacts': {
      path: '/v3/contacts/af73e650-96f0-11ef-b2a0-fa163eafb85e',
      body: { contact_id: 'af73e650-96f0-11ef-b2a0-fa163eafb85e', first_name: 'Debora' },
    },
  },
}
