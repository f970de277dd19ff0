import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // The first page is the one without a number.
  otherwise: { 'read-contacts-last-page': ['"page":"1",', ''] },
}
