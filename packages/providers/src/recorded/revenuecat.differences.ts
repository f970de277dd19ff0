import type { Differences } from './differences.testkit.ts'

const webhooks = 'RevenueCat documents the webhooks of a project under `/integrations/webhooks`.'

export const differences: Differences = {
  notRun: {
    'read-products-incremental-last-page':
      'A product has a time of creation only: changes of older ones would be lost.',
    'create-integrations-webhooks': webhooks,
    'update-integrations-webhooks': webhooks,
    'delete-integrations-webhooks': webhooks,
    'update-customers': 'RevenueCat documents an update of the attributes of a customer only (`/attributes`).',
  },
}
