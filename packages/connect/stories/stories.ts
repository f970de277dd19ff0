import type { ConnectInfo, Connection, InstallationSummary } from '../src/headless/wire.ts'
import { ago, connection, info, integrations, providers } from './scenarios.ts'

export interface Scenario {
  element: 'mortise-connect' | 'mortise-install' | 'mortise-manage' | 'mortise-integrations'
  attributes?: Record<string, string>
  info?: Partial<ConnectInfo>
  /** Requests that fail, by method and path. */
  failures?: { on: RegExp; status: number; code: string; detail: string; issues?: object[]; times?: number }[]
  /** Requests that are never answered. */
  pending?: RegExp
}

const connect = (more: Partial<Scenario> = {}): Scenario => ({ element: 'mortise-connect', ...more })
const only = (provider: string, more: Partial<Scenario> = {}): Scenario =>
  connect({ attributes: { provider }, ...more })

const install = (integration: string, more: Partial<Scenario> = {}): Scenario => ({
  element: 'mortise-install',
  attributes: { integration, closable: '' },
  ...more,
  info: { integrations, ...more.info },
})

type Permission = NonNullable<Connection['missingPermissions']>[number]
const use = (objectName: string, displayName: string, more: Partial<Permission['neededFor'][number]> = {}) => ({
  objectName,
  displayName,
  action: 'read' as const,
  isRequired: false,
  ...more,
})
const missing = (scope: string, neededFor: Permission['neededFor'] = [], description?: string): Permission => ({
  scope,
  neededFor,
  ...(description !== undefined && { description }),
})
/** An account is connected and did not grant all permissions. */
const partial = (isRequired: boolean): Scenario =>
  only('hubspot', {
    attributes: { provider: 'hubspot', closable: '' },
    info: {
      session: { id: 'session', purpose: 'connect', connectionId: 'con-1', expireTime: ago(-30) },
      connections: [
        connection('con-1', 'hubspot', {
          missingPermissions: [
            missing('crm.objects.contacts.read', [
              use('contacts', 'People', { isRequired }),
              use('companies', 'Companies'),
              use('contacts', 'People', { action: 'write' }),
            ]),
            missing('tickets', [use('tickets', 'Tickets', { action: 'subscribe' })], 'View and change tickets'),
            missing('content'),
          ],
        }),
      ],
    },
  })

const installed: InstallationSummary[] = [
  {
    id: 'ins-1',
    integrationId: 'int-crm',
    connectionId: 'con-1',
    healthStatus: 'healthy',
    isPaused: false,
    lastReadTime: ago(3),
    createTime: ago(9_000),
  },
  {
    id: 'ins-2',
    integrationId: 'int-support',
    connectionId: 'con-2',
    healthStatus: 'unhealthy',
    healthReasons: ['The credential is refused.'],
    isPaused: false,
    lastReadTime: ago(4_000),
    createTime: ago(9_000),
  },
  {
    id: 'ins-3',
    integrationId: 'int-large',
    connectionId: 'con-3',
    healthStatus: 'healthy',
    isPaused: true,
    createTime: ago(9_000),
  },
]
/** Integrations of which the first asks for the secret of a webhook. */
const asking = integrations.map((one, index) => (index === 0 ? { ...one, asksForWebhookSecret: true } : one))
const managed: Partial<ConnectInfo> = {
  integrations,
  installations: installed,
  connections: [
    connection('con-1', 'sampleCrm', { providerWorkspaceRef: 'acme' }),
    connection('con-2', 'zendeskSupport', {
      status: 'bad_credentials',
      failure: 'Couldn’t authenticate you (HTTP 401)',
      statusSince: ago(4_000),
    }),
    connection('con-3', 'salesforce', {
      missingPermissions: [missing('api', [use('Account', 'Accounts')]), missing('refresh_token')],
    }),
  ],
}
const manage = (more: Partial<Scenario> = {}): Scenario => ({
  element: 'mortise-manage',
  ...more,
  info: { ...managed, ...more.info },
})

/** Every component in every state. */
export const scenarios: Record<string, Scenario> = {
  providers: connect(),
  'providers-few': connect({ info: { providers: providers.slice(0, 3) } }),
  'providers-many': connect({
    info: {
      providers: Array.from({ length: 180 }, (_, index) => ({
        name: `provider${index}`,
        displayName: `Provider ${index}`,
        methods: ['oauth2'],
      })),
    },
  }),
  'providers-mixed': connect({
    info: {
      connections: [
        connection('con-1', 'sampleCrm'),
        connection('con-2', 'zendeskSupport', { status: 'bad_credentials', failure: 'Invalid token' }),
      ],
    },
  }),
  empty: connect({ info: { providers: [] } }),
  loading: connect({ pending: /connect-info$/ }),
  expired: connect({
    failures: [{ on: /connect-info$/, status: 401, code: 'unauthenticated', detail: 'The token has expired.' }],
  }),
  'not-allowed': connect({
    failures: [{ on: /connect-info$/, status: 403, code: 'forbidden', detail: 'Not allowed.' }],
  }),
  'service-fails': connect({
    failures: [{ on: /connect-info$/, status: 500, code: 'internal', detail: 'Internal error.' }],
  }),
  'form-key': only('sampleCrm'),
  'form-long': only('zendeskSupport'),
  'form-several': only('several'),
  'form-none': only('open'),
  'form-oauth': only('hubspot'),
  'form-oauth-domain': only('salesforce'),
  'form-steps': only('bank'),
  'form-fails': only('hubspot', {
    failures: [
      { on: /providers\/hubspot$/, status: 502, code: 'provider-unavailable', detail: 'HTTP 503 from api.hubspot.com' },
    ],
  }),
  'form-pending': only('hubspot', { pending: /providers\/hubspot$/ }),
  unsupported: only('unfinished'),
  reconnect: connect({
    attributes: { provider: 'sampleCrm', connection: 'con-1' },
    info: { connections: [connection('con-1', 'sampleCrm', { status: 'bad_credentials' })] },
  }),
  permissions: partial(false),
  'permissions-required': partial(true),
  branded: connect({
    info: {
      connect: {
        theme: {
          accent: '#7c3aed',
          accentText: '#ffffff',
          background: '#fdf8ff',
          text: '#2a1140',
          radius: '2px',
          font: 'Georgia, serif',
          dark: {
            accent: '#c4a5ff',
            accentText: '#1b0b33',
            background: '#1b1326',
            text: '#f4ecff',
            surface: '#241a33',
          },
        },
        language: 'en',
        messages: {
          en: { 'provider.lead': 'Pick the system that {app, select, other {your team} none {}} works with.' },
        },
      },
    },
  }),
  'install-connect': install('crmSync'),
  'install-objects': install('crmSync', { info: { connections: [connection('con-1', 'sampleCrm')] } }),
  'install-denied': install('crmSync', {
    info: {
      connections: [
        connection('con-1', 'sampleCrm', {
          missingPermissions: [missing('companies.read', [use('companies', 'Companies')])],
        }),
      ],
    },
  }),
  'install-accounts': install('crmSync', {
    info: {
      connections: [
        connection('con-1', 'sampleCrm', { providerWorkspaceRef: 'acme-sales' }),
        connection('con-2', 'sampleCrm', { providerWorkspaceRef: 'acme-support' }),
      ],
    },
  }),
  'install-large': install('largeCrm', { info: { connections: [connection('con-1', 'salesforce')] } }),
  'install-one': install('supportTickets', { info: { connections: [connection('con-1', 'zendeskSupport')] } }),
  'install-change': install('crmSync', {
    info: {
      connections: [connection('con-1', 'sampleCrm')],
      installations: [
        {
          id: 'ins-1',
          integrationId: 'int-crm',
          connectionId: 'con-1',
          healthStatus: 'healthy',
          isPaused: false,
          createTime: ago(5_000),
        },
      ],
    },
  }),
  'install-refused': install('crmSync', {
    info: {
      connections: [connection('con-1', 'sampleCrm', { status: 'bad_credentials', failure: 'This key was revoked.' })],
    },
    failures: [
      {
        on: /:hydrate$/,
        status: 422,
        code: 'provider-credentials-refused',
        detail: 'The provider answered with status 401 (auth_invalidated). This key was revoked',
      },
    ],
  }),
  'install-missing': install('nothing'),
  'install-preview-fails': install('supportTickets', {
    info: { connections: [connection('con-1', 'zendeskSupport')] },
    failures: [{ on: /:preview$/, status: 502, code: 'provider-unavailable', detail: 'HTTP 503 Service Unavailable' }],
  }),
  'install-save-fails': install('supportTickets', {
    info: { connections: [connection('con-1', 'zendeskSupport')] },
    failures: [
      {
        on: /POST .*installations$/,
        status: 422,
        code: 'invalid-config',
        detail: 'The config does not fit.',
        issues: [{ in: 'body', name: 'x', detail: 'tickets: the field “subject” does not exist in this account.' }],
        times: 1,
      },
    ],
  }),
  manage: manage(),
  'manage-empty': manage({ info: { connections: [], installations: [] } }),
  'manage-one': manage({
    info: { connections: [connection('con-1', 'sampleCrm')], installations: installed.slice(0, 1) },
  }),
  'manage-account': manage({ info: { connections: [connection('con-1', 'sampleCrm')], installations: [] } }),
  'manage-shared': manage({
    info: {
      connections: [connection('con-1', 'sampleCrm')],
      installations: installed.slice(0, 2).map((one) => ({ ...one, connectionId: 'con-1' })),
    },
  }),
  'manage-pause-fails': manage({
    failures: [{ on: /:pause$/, status: 403, code: 'forbidden', detail: 'Not allowed.' }],
  }),
  'manage-webhook': manage({
    info: {
      integrations: asking,
      installations: [
        {
          id: 'ins-1',
          integrationId: 'int-crm',
          connectionId: 'con-1',
          healthStatus: 'unhealthy',
          healthReasons: ['The subscription could not be set up: The webhook at Sample CRM has no secret yet.'],
          isPaused: false,
          createTime: ago(9),
        },
      ],
      connections: [connection('con-1', 'sampleCrm')],
    },
  }),
  'install-webhook': install('crmSync', {
    info: { integrations: asking, connections: [connection('con-1', 'sampleCrm')] },
  }),
  gallery: { element: 'mortise-integrations', info: managed },
  'gallery-empty': { element: 'mortise-integrations', info: { integrations: [] } },
  'gallery-many': {
    element: 'mortise-integrations',
    info: {
      integrations: Array.from({ length: 40 }, (_, index) => ({
        id: `int-${index}`,
        name: `integration${index}`,
        displayName: `Integration ${index}`,
        provider: 'sampleCrm',
        providerDisplayName: 'Sample CRM',
        revisionId: 'rev-1',
      })),
    },
  },
  'language-project': connect({ info: { connect: { language: 'ja' } } }),
  'language-session': connect({
    info: {
      connect: { language: 'ja', messages: { de: { 'provider.lead': 'Womit arbeiten Sie?' } } },
      session: { id: 'cs-1', purpose: 'connect', language: 'de-CH', expireTime: ago(-30) },
    },
  }),
  arabic: connect({
    attributes: { language: 'ar' },
    info: {
      providers,
      connect: {
        messages: {
          ar: {
            'provider.title': 'اربط حسابك مع {app}',
            'provider.lead': 'اختر مكان بياناتك.',
            'provider.search': 'ابحث عن مزوّد',
          },
        },
      },
    },
  }),
}

export { ago, info, integrations }
