import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownInWrites: { arsenal: 'accounts' },
  // The record has the id of its owner without it, and nothing is made of the owner.
  otherwise: { 'readByIds-accounts-2': [',"include":"owner"', ''] },
  eventObjects: { account: 'accounts', prospect: 'prospects', task: 'tasks', sequence: 'sequences' },
}
