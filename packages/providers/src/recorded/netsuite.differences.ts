import type { Differences } from './differences.testkit.ts'

const noZone = 'Windows begin a day earlier here, so that no zone is needed.'

export const differences: Differences = {
  notRun: {
    'postAuthentication-ok': noZone,
    'postAuthentication-ok-2': noZone,
    'postAuthentication-ok-3': noZone,
    'postAuthentication-ok-4': noZone,
    'postAuthentication-ok-5': noZone,
  },
}
