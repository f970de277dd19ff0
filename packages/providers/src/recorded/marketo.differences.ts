import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  { why: unknownObject, cases: ['read-arsenal-error'], unknownObject: 'programs' },
  {
    why: 'The object is `smartCampaigns`, as in the paths of Marketo. The recording writes its name in lower case.',
    cases: ['read-smartcampaigns-last-page'],
    names: { smartcampaigns: 'smartCampaigns' },
  },
  {
    why: 'The object is called `campaigns`, as in the paths of Marketo. Mortise refuses the singular before a request.',
    cases: ['read-campaign-last-page'],
    otherwise: ['/rest/v1/campaign.json', '/rest/v1/campaigns.json'],
  },
  {
    why: 'The object is called `campaigns`, as in the paths of Marketo. Mortise refuses the singular before a request.',
    cases: ['read-campaign-last-page'],
    unknownObject: 'campaigns',
  },
  {
    why: 'Marketo lists leads only by values of a field. Mortise reads all of them by an export job.',
    cases: ['read-leads-last-page'],
    fails: true,
  },
  { why: unknownObject, cases: ['create-lalala-error'], unknownObject: 'leads' },
]
