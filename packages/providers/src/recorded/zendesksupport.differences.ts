import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: { 'metadata-articles-static': 'The recording knows no articles. Here, they are read.' },
  codes: ['RecordInvalid'],
}
