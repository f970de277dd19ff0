import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: { 'read-leads-last-page': 'Marketo lists leads only by values of a field, or in export jobs.' },
  unknownObjects: { arsenal: 'programs', campaign: 'campaigns' },
  unknownInWrites: { lalala: 'leads' },
  calledHere: { smartcampaigns: 'smartCampaigns' },
  otherwise: { 'read-campaign-last-page': ['/rest/v1/campaign.json', '/rest/v1/campaigns.json'] },
}
