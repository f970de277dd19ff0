import type {
  ConnectInfo,
  Connection,
  FieldMetadata,
  HydratedRevision,
  InstallationStatus,
  IntegrationSummary,
  PreviewRecord,
  ProviderSummary,
} from '../src/headless/wire.ts'

const now = Date.now()
export const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()
export const storyTime = now

export const providers: ProviderSummary[] = [
  { name: 'hubspot', displayName: 'HubSpot', methods: ['oauth2'], asksFor: 'signIn' },
  { name: 'salesforce', displayName: 'Salesforce', methods: ['oauth2'], asksFor: 'signIn' },
  { name: 'zendeskSupport', displayName: 'Zendesk Support', methods: ['fields'], asksFor: 'apiKey' },
  { name: 'pipedrive', displayName: 'Pipedrive', methods: ['fields'], asksFor: 'apiKey' },
  { name: 'sampleCrm', displayName: 'Sample CRM', methods: ['fields'], asksFor: 'apiKey' },
  { name: 'redmine', displayName: 'Redmine', methods: ['fields'], asksFor: 'password' },
  { name: 'wordPress', displayName: 'WordPress', methods: ['fields'], asksFor: 'password' },
  { name: 'open', displayName: 'Open Data', methods: ['none'], asksFor: 'nothing' },
  { name: 'several', displayName: 'Several Ways', methods: ['oauth2', 'fields'], asksFor: 'signIn' },
  { name: 'bank', displayName: 'Bank of Steps', methods: ['steps'], asksFor: 'keys' },
]

export const integrations: IntegrationSummary[] = [
  {
    id: 'int-crm',
    name: 'crmSync',
    displayName: 'CRM sync',
    provider: 'sampleCrm',
    providerDisplayName: 'Sample CRM',
    revisionId: 'rev-1',
  },
  {
    id: 'int-support',
    name: 'supportTickets',
    displayName: 'Support tickets',
    provider: 'zendeskSupport',
    providerDisplayName: 'Zendesk Support',
    revisionId: 'rev-2',
  },
  {
    id: 'int-large',
    name: 'largeCrm',
    displayName: 'Large CRM',
    provider: 'salesforce',
    providerDisplayName: 'Salesforce',
    revisionId: 'rev-3',
  },
]

export function connection(id: string, provider: string, more: Partial<Connection> = {}): Connection {
  return {
    id,
    provider,
    projectId: 'p',
    authScheme: 'apiKey',
    status: 'working',
    createTime: ago(60 * 24 * 40),
    group: { groupRef: 'acme', groupName: 'Acme Ltd', createTime: ago(1), projectId: 'p' },
    consumer: { consumerRef: 'ada', consumerName: 'Ada', createTime: ago(1), projectId: 'p' },
    ...more,
  }
}

export function info(more: Partial<ConnectInfo> = {}): ConnectInfo {
  return {
    projectId: 'p',
    appName: 'Northwind',
    group: { groupRef: 'acme', groupName: 'Acme Ltd' },
    connect: {},
    session: { id: 'session', purpose: 'manage', expireTime: ago(-30) },
    consumer: { consumerRef: 'ada', consumerName: 'Ada' },
    providers,
    integrations: [],
    connections: [],
    installations: [],
    ...more,
  }
}

const field = (fieldName: string, displayName: string, more: Partial<FieldMetadata> = {}): FieldMetadata => ({
  fieldName,
  displayName,
  valueType: 'string',
  ...more,
})

const contactFields = [
  field('email', 'Email'),
  field('phone', 'Phone'),
  field('firstName', 'First name'),
  field('lastName', 'Last name'),
  field('stage', 'Stage', {
    valueType: 'singleSelect',
    values: [
      { value: 'lead', displayValue: 'Lead' },
      { value: 'won', displayValue: 'Customer' },
      { value: 'lost', displayValue: 'Lost' },
    ],
  }),
  field('birthday', 'Birthday', { valueType: 'date' }),
  field('visits', 'Visits', { valueType: 'int' }),
  field('optIn', 'Newsletter', { valueType: 'boolean' }),
  field('cf_priority', 'Priority of the account', { isCustom: true, valueType: 'singleSelect' }),
  field('cf_notes', 'Notes of the sales team', { isCustom: true }),
]

const manyFields = Array.from({ length: 5_000 }, (_, index) =>
  field(`field_${index}`, `${['Account', 'Billing', 'Shipping', 'Custom', 'Legacy'][index % 5]} field ${index}`, {
    isCustom: index % 3 === 0,
    valueType: (['string', 'int', 'date', 'boolean'] as const)[index % 4] ?? 'string',
  }),
)

const byName = (fields: FieldMetadata[]) => Object.fromEntries(fields.map((one) => [one.fieldName, one]))
const chosen = (fields: FieldMetadata[]) => fields.map(({ fieldName, displayName }) => ({ fieldName, displayName }))

function revision(id: string, content: HydratedRevision['content']): HydratedRevision {
  return { id, specVersion: '1.0.0', createTime: ago(100), content }
}

export const revisions: Record<string, HydratedRevision> = {
  'rev-1': revision('rev-1', {
    name: 'crmSync',
    displayName: 'CRM sync',
    provider: 'sampleCrm',
    read: {
      objects: [
        {
          objectName: 'contacts',
          displayName: 'Contacts',
          mapToName: 'people',
          mapToDisplayName: 'People',
          destination: 'hook',
          schedule: '* * * * *',
          requiredFields: [
            { fieldName: 'email', displayName: 'Email' },
            { fieldName: 'phone', displayName: 'Phone', mapToName: 'phoneNumber', mapToDisplayName: 'Phone number' },
            {
              mapToName: 'priority',
              mapToDisplayName: 'Priority',
              prompt: 'Which field has the importance of a contact?',
            },
          ],
          optionalFields: [
            {
              mapToName: 'lifecycle',
              mapToDisplayName: 'Lifecycle stage',
              prompt: 'Which field has the stage of a contact?',
              default: 'stage',
            },
            ...chosen(contactFields.slice(2)),
          ],
          optionalFieldsAuto: 'all',
          allFieldsMetadata: byName(contactFields),
        },
        {
          objectName: 'companies',
          displayName: 'Companies',
          destination: 'hook',
          schedule: '0 3 * * *',
          requiredFields: [{ fieldName: 'name', displayName: 'Name' }],
          optionalFields: chosen([field('domain', 'Domain'), field('size', 'Employees')]),
          allFieldsMetadata: byName([
            field('name', 'Name'),
            field('domain', 'Domain'),
            field('size', 'Employees', { valueType: 'int' }),
          ]),
        },
      ],
    },
    write: { objects: [{ objectName: 'contacts', displayName: 'Contacts' }] },
  }),
  'rev-2': revision('rev-2', {
    name: 'supportTickets',
    displayName: 'Support tickets',
    provider: 'zendeskSupport',
    read: {
      objects: [
        {
          objectName: 'tickets',
          displayName: 'Tickets',
          destination: 'hook',
          requiredFields: [{ fieldName: 'subject', displayName: 'Subject' }],
          allFieldsMetadata: byName([field('subject', 'Subject')]),
        },
      ],
    },
  }),
  'rev-3': revision('rev-3', {
    name: 'largeCrm',
    displayName: 'Large CRM',
    provider: 'salesforce',
    read: {
      objects: [
        {
          objectName: 'accounts',
          displayName: 'Accounts',
          destination: 'hook',
          requiredFields: [
            { mapToName: 'owner', mapToDisplayName: 'Owner', prompt: 'Which field names the owner of the account?' },
          ],
          optionalFields: chosen(manyFields),
          optionalFieldsAuto: 'all',
          allFieldsMetadata: byName(manyFields),
        },
      ],
    },
  }),
}

export const status: InstallationStatus = {
  healthStatus: 'healthy',
  objects: [
    {
      objectName: 'contacts',
      displayName: 'Contacts',
      state: 'backfilling',
      recordsRead: 1_204,
      recordsTotal: 5_300,
      lastReadTime: ago(1),
    },
    { objectName: 'companies', displayName: 'Companies', state: 'scheduled', recordsRead: 312, lastReadTime: ago(4) },
  ],
}

export const records: PreviewRecord[] = Array.from({ length: 5 }, (_, index) => ({
  fields: {
    email: `person${index}@example.com`,
    birthday: index % 2 ? '1990-04-02' : null,
    visits: index * 7,
    optIn: index % 2 === 0,
  },
  mappedFields: { phoneNumber: `+49 30 90182${index}`, priority: ['high', 'low'][index % 2], lifecycle: 'lead' },
  raw: {
    email: `person${index}@example.com`,
    phone: `+49 30 90182${index}`,
    stage: 'lead',
    cf_priority: 'high',
    visits: index * 7,
  },
}))
