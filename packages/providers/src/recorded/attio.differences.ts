import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // The records that a reference may point at are not choices: there is no end to them.
  leftOut: { 'metadata-lists-workspace-members-notes-tasks-companies-us': ['companies.fields.team.values'] },
}
