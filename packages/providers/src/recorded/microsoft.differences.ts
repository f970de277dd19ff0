import type { Differences } from './differences.testkit.ts'

const single = 'Each object has a registration with its own request here: provider-webhooks.test.ts.'

export const differences: Differences = {
  notRun: {
    'subscribe-me-messages-movies-error': single,
    'subscribe-me-messages-movies-error-2': single,
    'subscribe-me-messages': single,
    'unsubscribe-me-messages-me-events': single,
    'updateSubscription-me-messages-me-events-groups': single,
    'updateSubscription-me-events-error': single,
    'updateSubscription-me-messages-error': single,
    'updateSubscription-me-messages': single,
  },
  accountByUrl: true,
}
