import type { Differences } from './differences.testkit.ts'

const withoutId = 'The answer counts leads and has no id: 0 is none.'

export const differences: Differences = {
  notRun: { 'create-campaign-addleadstocampaignv2': withoutId, 'create-list-addleadstolistv2': withoutId },
  endsAtShortPage: ['read-campaign-getall-has-next', 'read-li-account-getall-has-next', 'read-list-getall-has-next'],
}
