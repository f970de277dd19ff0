import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  unknownObjects: { united: 'lead', opportunity_stages: 'lead' },
  unknownInWrites: { lalala: 'lead' },
}
