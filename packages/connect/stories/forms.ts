import type { ConnectForm } from '../src/headless/wire.ts'

const text = { type: 'text', maxLength: 20_000 } as const
const secret = { type: 'secret', maxLength: 20_000 } as const

const key = {
  name: 'apiKey',
  label: 'API key',
  help: 'In Sample CRM, open Settings, then API keys, and create one for Northwind.',
  docsUrl: 'https://example.com/docs/api-keys',
  example: 'crm_live_4f9c',
  ...secret,
} as const

export const forms: Record<string, ConnectForm> = {
  sampleCrm: {
    name: 'sampleCrm',
    displayName: 'Sample CRM',
    methods: [{ scheme: 'key', kind: 'fields', name: 'an API key', fields: [key] }],
  },
  pipedrive: {
    name: 'pipedrive',
    displayName: 'Pipedrive',
    methods: [{ scheme: 'key', kind: 'fields', name: 'an API key', fields: [key] }],
  },
  zendeskSupport: {
    name: 'zendeskSupport',
    displayName: 'Zendesk Support',
    methods: [
      {
        scheme: 'token',
        kind: 'fields',
        name: 'an API token',
        fields: [
          {
            name: 'providerMetadata.workspace',
            label: 'Subdomain',
            help: 'The first part of the address of your Zendesk.',
            ...text,
            prefix: 'https://',
            suffix: '.zendesk.com',
          },
          { name: 'basicAuth.username', label: 'Email', example: 'ada@example.com', ...text },
          {
            ...key,
            name: 'basicAuth.password',
            label: 'API token',
            help: 'In Zendesk, open Admin Center, then Apps and integrations.',
          },
          {
            name: 'region',
            label: 'Region',
            type: 'select',
            maxLength: 20_000,
            options: [
              { value: 'eu', label: 'Europe' },
              { value: 'us', label: 'United States' },
            ],
          },
          {
            name: 'certificate',
            label: 'Certificate',
            type: 'lines',
            maxLength: 20_000,
            optional: true,
            help: 'Only if your administrator asks for it.',
          },
        ],
      },
    ],
  },
  redmine: {
    name: 'redmine',
    displayName: 'Redmine',
    methods: [
      {
        scheme: 'basic',
        kind: 'fields',
        name: 'user name and password',
        fields: [
          { name: 'basicAuth.username', label: 'User name', ...text },
          { name: 'basicAuth.password', label: 'Password', ...secret },
        ],
      },
    ],
  },
  open: {
    name: 'open',
    displayName: 'Open Data',
    methods: [{ scheme: 'none', kind: 'none', name: 'no credential', fields: [] }],
  },
  hubspot: {
    name: 'hubspot',
    displayName: 'HubSpot',
    methods: [
      {
        scheme: 'oauth2',
        kind: 'oauth2',
        name: 'HubSpot in the browser',
        host: 'app.hubspot.com',
        fields: [],
        scopes: [
          { name: 'crm.objects.contacts.read', description: 'Read your contacts' },
          { name: 'crm.objects.companies.read', description: 'Read your companies' },
          { name: 'crm.schemas.deals.read' },
        ],
      },
    ],
  },
  salesforce: {
    name: 'salesforce',
    displayName: 'Salesforce',
    methods: [
      {
        scheme: 'oauth2',
        kind: 'oauth2',
        name: 'Salesforce in the browser',
        fields: [
          {
            name: 'providerMetadata.workspace',
            label: 'Domain',
            ...text,
            prefix: 'https://',
            suffix: '.my.salesforce.com',
          },
        ],
      },
    ],
  },
  several: {
    name: 'several',
    displayName: 'Several Ways',
    methods: [
      { scheme: 'oauth2', kind: 'oauth2', name: 'Several Ways in the browser', host: 'several.example', fields: [] },
      { scheme: 'key', kind: 'fields', name: 'an API key', fields: [key] },
      {
        scheme: 'basic',
        kind: 'fields',
        name: 'user name and password',
        fields: [
          { name: 'basicAuth.username', label: 'User name', ...text },
          { name: 'basicAuth.password', label: 'Password', ...secret },
        ],
      },
    ],
  },
  bank: {
    name: 'bank',
    displayName: 'Bank of Steps',
    methods: [
      {
        scheme: 'steps',
        kind: 'steps',
        name: 'its own credentials',
        fields: [{ name: 'customAuth.account', label: 'Account number', ...text }],
      },
    ],
  },
  unfinished: { name: 'unfinished', displayName: 'Unfinished', methods: [] },
}
