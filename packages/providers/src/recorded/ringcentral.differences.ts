import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: { 'metadata-butterflies': 'An object that the file does not name is refused before anything is sent.' },
}
