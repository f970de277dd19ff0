import { createHmac, hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, vi } from 'vitest'
import { postMessages } from '../../packages/server/src/features/messaging/destinations/index.ts'
import { sealRegistrationSecret } from '../../packages/server/src/features/sync/subscribing/registration-secret.ts'
import { insertRegistration, upsertSubscription } from '../../packages/server/src/features/sync/subscribing/store.ts'
import { signUrl } from '../../packages/server/src/kernel/encryption/index.ts'
import { openBrowser, type Shown } from '../../packages/server/src/testkit/browser.ts'
import { craftZip } from '../../packages/server/src/testkit/craft-zip.ts'
import { startTestApp } from '../../packages/server/src/testkit/test-app.ts'
import { calls } from '../tenant.testkit.ts'
import type { ReceivedAnswer } from './checker.testkit.ts'
import { follow } from './follow.testkit.ts'
import { password, publicUrl, submit, type World } from './world.testkit.ts'

/** A request below the method and the path of its endpoint; what `params` does not name is named by the tenant. */
export interface Request {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
  bytes?: Buffer
}

/** How an endpoint is called well, and what it answers then. */
export interface Row {
  status: number
  /**
   * The one of `calls` when absent. Answers a `Sent` where the exchange has happened otherwise: by a browser, on a
   * stream.
   */
  request?: (world: World) => Promise<Request | Sent> | Request | Sent
  /**
   * Of endpoints that anybody may call: a request that is refused, and how. `never`: nothing is refused. All others
   * are refused without a credential.
   */
  refused?: 'never' | { status: number; request: (world: World) => Promise<Request | Sent> | Request | Sent }
}

/** An exchange that has happened. */
export interface Sent {
  query?: Record<string, string>
  body?: unknown
  answer: ReceivedAnswer
}

const sent = ({ status, headers, text }: Shown, query: Record<string, string> = {}): Sent => ({
  query,
  answer: { status, headers, text },
})
const withoutForm = { status: 415, request: () => ({}) }
const verifier = 'v'.repeat(43)
const cliQuery = {
  port: '51234',
  challenge: hash('sha256', verifier, 'base64url'),
  state: 'a-state-of-the-command-line',
}
const projects = '/projects/default'
const json = { 'content-type': 'application/json' }

/** Where a site runs that takes every post. It ends with the process. */
async function siteUrl(): Promise<string> {
  const site = createServer((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 200, json)
    response.end(JSON.stringify({ id: 7, title: { raw: 'Hello' } }))
  })
  await once(site.listen(0, '127.0.0.1').unref(), 'listening')
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

/** An event of an installation of Stripe, which is registered as its job would have done it. */
async function signedForStripe({ app, make }: World, event: object): Promise<Request> {
  // It subscribes to nothing: else a job would ask Stripe, and end what was registered by hand.
  const integration = { name: 'stripe', provider: 'stripe', proxy: { enabled: true } }
  await make('PUT', `${projects}/integrations:batch`, {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }),
  })
  const account = { groupRef: 'paying', consumerRef: 'ada', provider: 'stripe', apiKey: 'a-key' }
  const { id: connectionId } = await make('POST', `${projects}/connections:generate`, account)
  const installation = await make('POST', `${projects}/integrations/stripe/installations`, {
    groupRef: 'paying',
    connectionId,
    config: { content: { provider: 'stripe' } },
  })
  const { id: installationId, integrationId } = installation as { id: string; integrationId: string }
  const { newId, keyring } = app.app.services
  const nextTime = new Date(app.clock.now().getTime() + 86_400_000)
  await upsertSubscription(app.db, { installationId, integrationId, nextTime })
  const id = newId()
  const registration = { id, installation_id: installationId, connection_id: connectionId, key: 'by hand', events: [] }
  const sealed_secret = sealRegistrationSecret({ keyring }, app.projectId, id, 'a-secret')
  await insertRegistration(app.db, { ...registration, object: null, event: null, sealed_secret })
  const time = Math.floor(app.clock.now().getTime() / 1_000)
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', 'a-secret').update(`${time}.${body}`).digest('hex')
  return {
    params: { projectIdOrName: app.projectId, integrationId: 'stripe', installationId },
    bytes: Buffer.from(body),
    headers: { ...json, 'stripe-signature': `t=${time},v1=${signature}` },
  }
}

/** What Slack sends to the URL of an app. */
async function signedForSlack({ app, make }: World, event: object): Promise<Request> {
  const integration = {
    name: 'slack',
    provider: 'slack',
    subscribe: { objects: [{ objectName: 'users', destination: 'hook' }] },
  }
  await make('PUT', `${projects}/integrations:batch`, {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }),
  })
  await make('POST', `${projects}/provider-apps`, {
    provider: 'slack',
    clientId: 'a-client',
    clientSecret: 'a-client-secret',
    metadata: { providerParams: { signingSecret: 'a-secret' } },
  })
  const time = Math.floor(app.clock.now().getTime() / 1_000)
  const body = JSON.stringify(event)
  const signature = createHmac('sha256', 'a-secret').update(`v0:${time}:${body}`).digest('hex')
  return {
    params: { projectIdOrName: app.projectId, integrationId: 'slack' },
    bytes: Buffer.from(body),
    headers: { ...json, 'x-slack-signature': `v0=${signature}`, 'x-slack-request-timestamp': `${time}` },
  }
}

const yamlOf = (name: string) => `specVersion: 1.0.0
integrations:
  - name: ${name}
    displayName: CRM
    provider: sampleCrm
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "0 3 * * *"
          requiredFields:
            - fieldName: email
          optionalFields:
            - fieldName: phone
`

/** The state of a flow at Salesforce. */
async function begunFlow({ make, tenant }: World, enableCSRFProtection: boolean): Promise<string> {
  const { oauthConnect } = calls(tenant.ids)
  const body = { ...(oauthConnect?.body as object), enableCSRFProtection }
  const url = new URL(await make<string>('POST', '/oauth-connect', body))
  return url.searchParams.get('state')!
}

/** The token of a page on which an account is connected. */
async function pageToken({ make }: World): Promise<string> {
  const body = { groupRef: 'by-page', consumerRef: 'ada', provider: 'sampleCrm' }
  const { url } = await make<{ url: string }>('POST', `${projects}/connect-sessions`, body)
  return url.split('/').at(-1)!
}

/** What begins a conversation at Microsoft, with an app of the project. */
async function adminConsent({ make, tenant }: World): Promise<object> {
  const { customAuthConnect } = calls(tenant.ids)
  const app = { provider: 'microsoftAdminConsent', clientId: 'a-client', clientSecret: 'a-client-secret' }
  const { id: providerAppId } = await make('POST', `${projects}/provider-apps`, app)
  return { ...(customAuthConnect?.body as object), providerAppId }
}

/** The state of a conversation whose browser is at Microsoft. */
async function begunConversation(world: World): Promise<string> {
  const body = await adminConsent(world)
  const { redirect } = await world.make<{ redirect: { url: string } }>('POST', '/custom-auth/connect', body)
  return new URL(redirect.url).searchParams.get('state')!
}

/** A connection of a group of its own. */
async function connected({ make, crm }: World, groupRef: string): Promise<string> {
  const { id } = await make('POST', `${projects}/connections:generate?verify=true`, {
    groupRef,
    consumerRef: `${groupRef}-ada`,
    provider: 'sampleCrm',
    apiKey: crm.apiKey,
    providerMetadata: { url: crm.url },
  })
  return id
}
const installBody = (groupRef: string, connectionId: string) => ({
  groupRef,
  connectionId,
  config: {
    content: {
      provider: 'sampleCrm',
      read: { objects: { contacts: { objectName: 'contacts', selectedFields: { phone: true } } } },
    },
  },
})
async function installed(world: World, groupRef: string): Promise<string> {
  const body = installBody(groupRef, await connected(world, groupRef))
  const { id } = await world.make('POST', `${projects}/integrations/acme/installations`, body)
  return id
}
const destination = ({ make, receiver }: World, name: string) =>
  make('POST', `${projects}/destinations`, { name, type: 'webhook', metadata: { url: receiver.url } })
const invite = ({ make, tenant }: World, email: string) =>
  make<{ id: string; link: string }>('POST', `/orgs/${tenant.ids.orgId}/invites`, { email }, tenant.owner)
/** The token of a link that an owner makes for a member. */
const resetToken = async ({ builder, make, tenant }: World, email: string) => {
  const { orgId } = tenant.ids
  const { builderId } = await builder({ email, role: 'member', orgId })
  const path = `/orgs/${orgId}/builders/${builderId}/password-resets`
  const { link } = await make<{ link: string }>('POST', path, undefined, tenant.owner)
  return new URL(link).searchParams.get('token')!
}
const session = ({ make, person }: World) =>
  make<{ refreshToken: string }>('POST', '/sessions', { email: person.email, password }, {})

/** By operationId. */
export const rows: Record<string, Row> = {
  getHealth: { status: 200, refused: 'never' },
  getReadiness: { status: 200, refused: 'never' },
  getMetrics: { status: 200, refused: 'never' },
  openFrontPage: { status: 302, refused: 'never' },
  getReference: {
    status: 200,
    request: () => ({ query: { q: 'retry' } }),
    refused: { status: 400, request: () => ({ query: { q: 'a'.repeat(201) } }) },
  },
  getReferencePage: {
    status: 200,
    request: () => ({ params: { page: 'integrations' } }),
    refused: { status: 404, request: () => ({ params: { page: 'no-such-page' } }) },
  },
  getProviderPage: {
    status: 200,
    request: () => ({ params: { provider: 'hubspot' } }),
    refused: { status: 404, request: () => ({ params: { provider: 'no-such-provider' } }) },
  },
  getProblemPage: {
    status: 200,
    request: () => ({ params: { code: 'invalid-input' } }),
    refused: { status: 404, request: () => ({ params: { code: 'no-such-problem' } }) },
  },
  getSchema: {
    status: 200,
    request: () => ({ params: { schema: 'manifest.json' } }),
    refused: { status: 404, request: () => ({ params: { schema: 'no-such.json' } }) },
  },
  createSession: {
    status: 200,
    request: ({ person }) => ({ body: { email: person.email, password } }),
    refused: {
      status: 401,
      request: ({ person }) => ({ body: { email: person.email, password: 'a wrong password' } }),
    },
  },
  refreshSession: {
    status: 200,
    request: async (world) => ({ body: { refreshToken: (await session(world)).refreshToken } }),
    refused: { status: 401, request: () => ({ body: { refreshToken: 'not-a-token' } }) },
  },
  exchangeSignInCode: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser('signed in')
      const page = await browser.get(`/signin/cli?${new URLSearchParams(cliQuery)}`)
      const { location } = await submit(browser, page)
      return { body: { code: new URL(location!).searchParams.get('code'), verifier } }
    },
    refused: { status: 401, request: () => ({ body: { code: 'not-a-code', verifier } }) },
  },
  endSession: {
    status: 204,
    request: async ({ builder }) => ({ headers: (await builder({ email: 'leaving@acme.example' })).headers }),
  },
  changePassword: {
    status: 204,
    request: async ({ builder }) => ({
      headers: (await builder({ email: 'careful@acme.example', password })).headers,
      body: { currentPassword: password, newPassword: 'staple battery horse correct' },
    }),
  },
  requestPasswordReset: {
    status: 204,
    request: async () => {
      const body = { email: 'ada@acme.example' }
      const env = {
        MORTISE_SMTP_URL: 'smtp://mail.example.com',
        MORTISE_ROLES: 'api',
        MORTISE_RATE_LIMIT: '100',
        MORTISE_ADDRESS_RATE_LIMIT: '100',
      }
      const app = await startTestApp({ env })
      const answer = await fetch(`${app.url}/v1/password-resets`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(body),
      })
      const { status, headers } = answer
      const text = await answer.text()
      await app.stop()
      return { body, answer: { status, headers, text } }
    },
    refused: { status: 409, request: () => ({ body: { email: 'ada@acme.example' } }) },
  },
  createPasswordReset: {
    status: 201,
    request: async ({ builder, tenant }) => ({
      params: {
        builderId: (await builder({ email: 'ada.lovelace@acme.example', role: 'member', orgId: tenant.ids.orgId }))
          .builderId,
      },
    }),
  },
  completePasswordReset: {
    status: 204,
    request: async (world) => ({
      body: { token: await resetToken(world, 'lost@acme.example'), newPassword: 'staple battery horse correct' },
    }),
    refused: {
      status: 401,
      request: () => ({ body: { token: 'not-a-token', newPassword: 'staple battery horse correct' } }),
    },
  },
  getClient: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser('signed in')
      const { location } = await submit(browser, await browser.get('/signin/amp-cli'))
      const { cookies } = JSON.parse(Buffer.from(new URL(location!).searchParams.get('p')!, 'base64').toString()) as {
        cookies: Record<string, string>
      }
      const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
      return { query: { _clerk_js_version: '4.50.1' }, headers: { cookie: cookie.join('; ') } }
    },
    refused: 'never',
  },
  listTokenKeys: { status: 200, refused: 'never' },
  showSignInPage: { status: 200, refused: 'never' },
  submitSignIn: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser()
      return sent(await submit(browser, await browser.get('/signin'), { email: world.person.email, password }))
    },
    refused: {
      status: 401,
      request: async (world) => {
        const browser = await world.browser()
        const wrong = { email: world.person.email, password: 'a wrong password' }
        return sent(await submit(browser, await browser.get('/signin'), wrong))
      },
    },
  },
  showForgotPage: { status: 200, refused: 'never' },
  submitForgot: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser()
      const page = await browser.get('/signin')
      // The page has no form where the service sends no mail; the token of another form will do.
      const text = page.text.replace('action="/signin"', 'action="/signin/forgot"')
      return sent(await submit(browser, { ...page, text }, { email: 'ada@acme.example' }))
    },
    refused: withoutForm,
  },
  showResetPage: {
    status: 303,
    request: async (world) => ({ query: { token: await resetToken(world, 'forgetful@acme.example') } }),
    refused: { status: 404, request: () => ({ query: { token: 'not-a-token' } }) },
  },
  submitReset: {
    status: 200,
    request: async (world) => {
      const browser = await world.browser()
      await browser.get(`/signin/reset?token=${await resetToken(world, 'careless@acme.example')}`)
      return sent(await submit(browser, await browser.get('/signin/reset'), { password }))
    },
    refused: withoutForm,
  },
  showSignedInPage: {
    status: 200,
    request: async (world) => sent(await (await world.browser('signed in')).get('/signin/done')),
    refused: 'never',
  },
  submitSignOut: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser('signed in')
      return sent(await submit(browser, await browser.get('/signin/done')))
    },
    refused: withoutForm,
  },
  showSetupPage: {
    status: 200,
    request: ({ setup }) => sent(setup.shown, { token: setup.token }),
    refused: { status: 404, request: () => ({ query: { token: 'not-a-token' } }) },
  },
  submitSetup: { status: 303, request: ({ setup }) => sent(setup.submitted), refused: withoutForm },
  showInvitePage: {
    status: 200,
    request: async (world) => ({
      query: Object.fromEntries(new URL((await invite(world, 'lin@partner.example')).link).searchParams),
    }),
    refused: { status: 404, request: () => ({ query: { token: 'not-a-token' } }) },
  },
  submitInvite: {
    status: 303,
    request: async (world) => {
      const { link } = await invite(world, 'max@partner.example')
      const browser = await world.browser()
      const page = await browser.get(link.slice(publicUrl.length))
      return sent(await submit(browser, page, { name: 'Max Example', password }))
    },
    refused: withoutForm,
  },
  showCliConsentPage: {
    status: 200,
    request: async (world) =>
      sent(await (await world.browser('signed in')).get(`/signin/cli?${new URLSearchParams(cliQuery)}`), cliQuery),
    refused: { status: 400, request: () => ({ query: { ...cliQuery, port: '0' } }) },
  },
  submitCliConsent: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser('signed in')
      return sent(await submit(browser, await browser.get(`/signin/cli?${new URLSearchParams(cliQuery)}`)))
    },
    refused: withoutForm,
  },
  showAmpCliPage: {
    status: 200,
    request: async (world) => sent(await (await world.browser('signed in')).get('/signin/amp-cli')),
    refused: 'never',
  },
  submitAmpCli: {
    status: 303,
    request: async (world) => {
      const browser = await world.browser('signed in')
      return sent(await submit(browser, await browser.get('/signin/amp-cli')))
    },
    refused: withoutForm,
  },
  startSingleSignOn: { status: 303, request: () => ({ query: { next: '/signin/done' } }), refused: 'never' },
  finishSingleSignOn: {
    status: 303,
    request: async (world) => {
      const email = 'invited@partner.example'
      await invite(world, email)
      world.identities.people.set('a-person', { email, email_verified: true, name: 'In Vited' })
      const browser = openBrowser(world.app.url)
      const begun = await browser.get('/signin/oidc')
      const back = await world.identities.signIn(begun.location!, 'a-person')
      return sent(await browser.get(back), { state: new URLSearchParams(back.split('?')[1]).get('state')! })
    },
    refused: { status: 400, request: () => ({ query: { state: 'not-a-state' } }) },
  },
  createOrg: { status: 201, request: () => ({ body: { label: 'Acme Labs' } }) },
  getOrg: { status: 200 },
  updateOrg: { status: 200, request: () => ({ body: { updateMask: ['label'], org: { label: 'Acme' } } }) },
  listOrgBuilders: { status: 200 },
  updateOrgBuilder: {
    status: 200,
    request: async ({ builder, tenant }) => ({
      params: {
        builderId: (await builder({ email: 'rising@acme.example', role: 'member', orgId: tenant.ids.orgId })).builderId,
      },
      body: { updateMask: ['role'], builder: { role: 'owner' } },
    }),
  },
  deleteOrgBuilder: {
    status: 204,
    request: async ({ builder, tenant }) => ({
      params: {
        builderId: (await builder({ email: 'gone@acme.example', role: 'member', orgId: tenant.ids.orgId })).builderId,
      },
    }),
  },
  createOrgInvite: { status: 201, request: () => ({ body: { email: 'ada@acme.example' } }) },
  listOrgInvites: { status: 200 },
  getOrgInvite: { status: 200 },
  deleteOrgInvite: {
    status: 204,
    request: async (world) => ({ params: { inviteId: (await invite(world, 'too-early@acme.example')).id } }),
  },
  addUserToOrg: {
    status: 201,
    request: async ({ builder }) => ({
      body: { builderId: (await builder({ email: 'alan@other.example' })).builderId },
    }),
  },
  getMyInfo: { status: 200 },
  acceptInvite: {
    status: 200,
    request: async (world) => {
      const email = 'joan@other.example'
      await invite(world, email)
      return { headers: (await world.builder({ email })).headers, body: { invitedEmail: email } }
    },
  },
  claimDomain: {
    status: 201,
    request: ({ tenant }) => ({ body: { domain: 'acme.example', parentType: 'org', parentId: tenant.ids.orgId } }),
  },
  checkClaimedDomain: { status: 200, request: () => ({ query: { domain: 'acme.example' } }) },
  listOrgClaimedDomains: { status: 200 },
  verifyClaimedDomain: { status: 200 },
  deleteClaimedDomain: {
    status: 204,
    request: async ({ app, builder, tenant }) => {
      const { headers } = await builder({ email: 'releasing@acme.example', role: 'owner', orgId: tenant.ids.orgId })
      const body = { domain: 'released.example', parentType: 'org', parentId: tenant.ids.orgId }
      const made = await app.call<{ id: string }>('POST', '/claimed-domains', body, { apiKey: null, headers })
      return { params: { claimedDomainId: made.body.id } }
    },
  },
  listApiKeys: { status: 200 },
  createApiKey: { status: 201, request: () => ({ body: { label: 'our front end', scopes: ['frontend'] } }) },
  getApiKey: { status: 200 },
  updateApiKey: { status: 200, request: () => ({ body: { updateMask: ['label'], apiKey: { label: 'our server' } } }) },
  deleteApiKey: {
    status: 204,
    request: async ({ make }) => ({
      params: { apiKey: (await make('POST', `${projects}/api-keys`, { label: 'old' })).id },
    }),
  },
  listJWTKeys: { status: 200 },
  createJWTKey: { status: 201 },
  getJWTKey: { status: 200 },
  updateJWTKey: { status: 200, request: () => ({ body: { updateMask: ['label'], jwtKey: { label: 'our server' } } }) },
  deleteJWTKey: {
    status: 204,
    request: async ({ make, tenant }) => {
      const { body } = calls(tenant.ids)['createJWTKey']!
      return { params: { keyId: (await make<{ kid: string }>('POST', `${projects}/jwt-keys`, body)).kid } }
    },
  },
  listProjects: { status: 200 },
  createProject: {
    status: 201,
    request: ({ tenant }) => ({ body: { name: 'acme-staging', appName: 'Acme', orgId: tenant.ids.orgId } }),
  },
  getProject: { status: 200, request: () => ({ query: { includeEntitlements: 'true' } }) },
  updateProject: {
    status: 200,
    request: () => ({ body: { updateMask: ['appName'], project: { appName: 'Acme' } } }),
  },
  listProviders: { status: 200, refused: 'never' },
  getProvider: {
    status: 200,
    request: () => ({ params: { provider: 'hubspot' } }),
    refused: { status: 404, request: () => ({ params: { provider: 'no-such-provider' } }) },
  },
  createProviderApp: { status: 200 },
  listProviderApps: { status: 200 },
  updateProviderApp: { status: 200 },
  deleteProviderApp: {
    status: 204,
    request: async ({ make }) => {
      const body = { provider: 'salesforce', clientId: 'old', clientSecret: 'an-old-secret' }
      return { params: { providerAppId: (await make('POST', `${projects}/provider-apps`, body)).id } }
    },
  },
  listIntegrations: { status: 200 },
  createIntegration: {
    status: 201,
    request: ({ tenant }) => {
      const { body } = calls(tenant.ids)['createIntegration'] as { body: object }
      return { body: { ...body, name: 'crm-by-hand' } }
    },
  },
  batchUpsertIntegrations: { status: 200, request: () => ({ body: { sourceYaml: yamlOf('crm') } }) },
  validateManifest: {
    status: 200,
    request: () => ({ query: { strict: 'true' }, body: { sourceYaml: yamlOf('crm') } }),
  },
  getIntegration: { status: 200 },
  deleteIntegration: {
    status: 204,
    request: async ({ make }) => {
      await make('PUT', `${projects}/integrations:batch`, { sourceYaml: yamlOf('old') })
      return { params: { integrationIdOrName: 'old' } }
    },
  },
  listRevisions: { status: 200 },
  createRevision: {
    status: 201,
    request: async ({ make }) => {
      await make('PUT', `${projects}/integrations:batch`, { sourceYaml: yamlOf('revised') })
      return {
        params: { integrationId: 'revised' },
        body: { sourceYaml: yamlOf('revised').replace('3 * * *', '4 * * *') },
      }
    },
  },
  getHydratedRevision: { status: 200 },
  generateUploadUrl: { status: 200 },
  putUpload: {
    status: 204,
    request: async ({ make }) => {
      const { url } = await make<{ url: string }>('GET', '/generate-upload-url')
      const { pathname, searchParams } = new URL(url)
      return {
        params: { uploadId: pathname.split('/').at(-1)! },
        query: Object.fromEntries(searchParams),
        bytes: craftZip([{ name: 'mortise.yaml', content: yamlOf('uploaded') }]),
      }
    },
    refused: { status: 403, request: () => ({ query: { expires: '1', claims: 'x', signature: 'x' } }) },
  },
  generateConnection: {
    status: 201,
    request: ({ crm }) => ({
      body: {
        groupRef: 'globex',
        groupName: 'Globex',
        consumerRef: 'hank',
        consumerName: 'Hank Example',
        provider: 'sampleCrm',
        apiKey: crm.apiKey,
        providerMetadata: { url: { value: crm.url, source: 'input' } },
      },
    }),
  },
  listConnections: { status: 200 },
  getConnection: { status: 200 },
  updateConnection: { status: 200 },
  deleteConnection: {
    status: 204,
    request: async (world) => ({ params: { connectionId: await connected(world, 'leaving') } }),
  },
  oauthConnect: { status: 200 },
  oauthUpdate: {
    status: 200,
    request: async ({ make }) => {
      const { id } = await make('POST', `${projects}/connections:generate`, {
        groupRef: 'by-oauth',
        consumerRef: 'ada',
        provider: 'salesforce',
        providerWorkspaceRef: 'acme',
        oauth2AuthorizationCode: { accessToken: { token: 'an-access-token' } },
      })
      return { params: { connectionId: id } }
    },
  },
  startOAuth: {
    status: 303,
    request: async (world) => ({ query: { state: await begunFlow(world, true) } }),
    refused: { status: 400, request: () => ({ query: { state: 'not-a-state' } }) },
  },
  showOAuthCallback: {
    // The customer turned back at the provider: all that an exchange without the provider can show.
    status: 400,
    request: async (world) => ({ query: { state: await begunFlow(world, false), error: 'access_denied' } }),
    refused: { status: 400, request: () => ({ query: { state: 'not-a-state', code: 'a-code' } }) },
  },
  submitOAuthCallback: {
    status: 303,
    request: async (world) => ({
      bytes: Buffer.from(`state=${await begunFlow(world, false)}&code=a-code`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    refused: { status: 400, request: () => ({}) },
  },
  customAuthConnect: {
    status: 200,
    request: async (world) => ({ body: await adminConsent(world) }),
  },
  createConnectSession: { status: 201 },
  getConnectSession: { status: 200 },
  showConnectPage: {
    status: 200,
    request: async (world) => ({ params: { token: await pageToken(world) } }),
    refused: { status: 404, request: () => ({ params: { token: 'not-a-token' } }) },
  },
  submitConnectPage: {
    status: 303,
    request: async (world) => {
      const token = await pageToken(world)
      const browser = openBrowser(world.app.url)
      const form = await browser.get(`/connect/${token}`)
      const fields = { apiKey: world.crm.apiKey, 'providerMetadata.url': world.crm.url }
      return sent(await browser.submit(form, fields))
    },
    refused: { ...withoutForm, request: () => ({ params: { token: 'not-a-token' } }) },
  },
  showCustomAuthCallback: {
    status: 200,
    request: async (world) => ({ query: { state: await begunConversation(world) } }),
    refused: { status: 400, request: () => ({ query: { state: 'not-a-state' } }) },
  },
  submitCustomAuthCallback: {
    status: 200,
    request: async (world) => ({
      bytes: Buffer.from(`state=${await begunConversation(world)}&admin_consent=True&tenant=a-tenant`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    refused: { status: 400, request: () => ({}) },
  },
  listGroups: { status: 200 },
  getGroup: { status: 200 },
  deleteGroup: {
    status: 204,
    request: async (world) => {
      await connected(world, 'forgotten')
      return { params: { groupRef: 'forgotten' } }
    },
  },
  listConsumers: { status: 200 },
  getConsumer: { status: 200 },
  deleteConsumer: {
    status: 204,
    request: async (world) => {
      await connected(world, 'left')
      return { params: { consumerRef: 'left-ada' } }
    },
  },
  createInstallation: {
    status: 201,
    request: async (world) => ({ body: installBody('initech', await connected(world, 'initech')) }),
  },
  listInstallations: { status: 200 },
  listInstallationsForProject: { status: 200 },
  getInstallation: { status: 200 },
  updateInstallation: { status: 200 },
  deleteInstallation: {
    status: 204,
    request: async (world) => ({ params: { installationId: await installed(world, 'parting') } }),
  },
  patchObjectConfigContent: { status: 200 },
  receiveInstallationEvents: {
    status: 200,
    request: async (world) => signedForStripe(world, { id: 'evt_1', type: 'customer.created', data: { object: {} } }),
    refused: { status: 404, request: () => ({ bytes: Buffer.from('{}') }) },
  },
  receiveAppEvents: {
    status: 200,
    request: async (world) => signedForSlack(world, { type: 'url_verification', challenge: 'a-challenge' }),
    refused: { status: 404, request: () => ({ bytes: Buffer.from('{}') }) },
  },
  getObjectMetadataForInstallation: { status: 200 },
  getObjectMetadataForConnection: { status: 200 },
  triggerRead: { status: 201 },
  writeRecords: {
    status: 200,
    request: async (world) => {
      const provider = 'wordPressSelfHosted'
      const manifest = { name: 'written', provider, write: { objects: [{ objectName: 'posts' }] } }
      const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations: [manifest] })
      await world.make('PUT', `${projects}/integrations:batch`, { sourceYaml })
      const { id: connectionId } = await world.make('POST', `${projects}/connections:generate`, {
        groupRef: 'writer',
        consumerRef: 'writer-ada',
        provider,
        basicAuth: { username: 'ada', password: 'an application password' },
        providerMetadata: { siteUrl: await siteUrl() },
      })
      const config = { content: { provider, write: { objects: { posts: {} } } } }
      const installing = { groupRef: 'writer', connectionId, config }
      await world.make('POST', `${projects}/integrations/written/installations`, installing)
      const body = { groupRef: 'writer', type: 'create', record: { title: 'Hello' } }
      return { params: { integrationId: 'written', objectName: 'posts' }, body }
    },
  },
  pauseReads: { status: 204 },
  unpauseReads: { status: 204 },
  searchRecords: { status: 200 },
  upsertMetadataForInstallation: { status: 200 },
  upsertMetadataForConnection: { status: 200 },
  deliverResults: {
    status: 204,
    request: async (world) => {
      const held = '          delivery:\n            mode: onRequest\n            pageSize: 50\n'
      await world.make('PUT', `${projects}/integrations:batch`, { sourceYaml: `${yamlOf('held')}${held}` })
      const body = installBody('patient', await connected(world, 'patient'))
      await world.make('POST', `${projects}/integrations/held/installations`, body)
      return { params: { integrationId: 'held' }, body: { groupRef: 'patient', pages: 2 } }
    },
  },
  getBackfillProgress: {
    status: 200,
    request: async (world) => {
      const past = '          backfill:\n            defaultPeriod:\n              fullHistory: true\n'
      await world.make('PUT', `${projects}/integrations:batch`, { sourceYaml: `${yamlOf('past')}${past}` })
      const body = installBody('historic', await connected(world, 'historic'))
      const { id } = await world.make('POST', `${projects}/integrations/past/installations`, body)
      const progress = `${projects}/integrations/past/installations/${id}/objects/contacts/backfill-progress`
      // An example of progress has some.
      await vi.waitFor(
        async () => {
          const { recordsProcessed } = await world.make<{ recordsProcessed: number }>('GET', progress)
          expect(recordsProcessed).toBeGreaterThan(0)
        },
        { timeout: 60_000 },
      )
      return { params: { integrationId: 'past', installationId: id } }
    },
  },
  testProviderFile: { status: 200 },
  listProviderFileFaults: { status: 200 },
  listSchemaWatches: { status: 200 },
  listSchemaChanges: { status: 200 },
  listOperations: { status: 200 },
  getOperation: { status: 200 },
  listOperationLogs: { status: 200 },
  streamOperationLogs: {
    status: 200,
    request: async ({ app, tenant }) => follow(app, `${projects}/operations/${tenant.ids.operationId}/logs:stream`),
  },
  streamLogs: {
    status: 200,
    request: ({ app, make }) =>
      follow(app, `${projects}/logs:stream`, () =>
        make('POST', '/projects/default/integrations/acme/objects/contacts', { groupRef: 'acme-group', mode: 'async' }),
      ),
  },
  createDestination: {
    status: 201,
    request: ({ receiver }) => ({
      body: { name: 'crm-records', type: 'webhook', metadata: { url: receiver.url, headers: { 'X-Tenant': 'acme' } } },
    }),
  },
  listDestinations: { status: 200 },
  getDestination: { status: 200, request: () => ({ query: { includeSecrets: 'true' } }) },
  updateDestination: { status: 200 },
  deleteDestination: {
    status: 204,
    request: async (world) => ({ params: { destination: (await destination(world, 'old-hook')).id } }),
  },
  rotateDestinationSecret: {
    status: 200,
    request: async (world) => ({
      params: { destination: (await destination(world, 'rotated-hook')).id },
      query: { includeSecrets: 'true' },
    }),
  },
  testDestination: { status: 200 },
  disableDestination: {
    status: 200,
    request: async (world) => ({
      params: { destination: (await destination(world, 'quiet-hook')).id },
      body: { reason: 'The receiver is being moved.' },
    }),
  },
  enableDestination: {
    status: 200,
    request: async (world) => {
      const { id } = await destination(world, 'back-again')
      await world.make('POST', `${projects}/destinations/${id}:disable`, { reason: 'Moved.' })
      return { params: { destination: id } }
    },
  },
  listMessages: { status: 200, request: ({ tenant }) => ({ query: { destination: tenant.ids.destination } }) },
  streamMessages: {
    status: 200,
    request: ({ app, tenant }) =>
      follow(app, `${projects}/messages:stream?destination=${tenant.ids.destination}`, () => post(app)),
  },
  getMessage: { status: 200 },
  listMessageAttempts: { status: 200 },
  replayMessages: { status: 202, request: ({ tenant }) => ({ body: { messageIds: [tenant.ids.messageId] } }) },
  getMessageReplay: { status: 200 },
  getResult: {
    status: 200,
    request: async ({ app, make }) => {
      await post(app, Buffer.from('[{"fields":{"email":"ada@acme.example"}}]'))
      const [newest] = await make<{ id: string }[]>('GET', `${projects}/messages?destination=hook`)
      const path = `/results/${newest!.id}`
      const key = app.keyring.derive('signed-url')
      const expiresAt = new Date(Date.now() + 60_000)
      const { searchParams } = new URL(
        signUrl({ key, baseUrl: publicUrl, path, expiresAt, claims: { project: app.projectId } }),
      )
      return { params: { resultId: newest!.id }, query: Object.fromEntries(searchParams) }
    },
    refused: { status: 403, request: () => ({}) },
  },
  createTopic: { status: 201, request: () => ({ body: { name: 'crm-health' } }) },
  listTopics: { status: 200 },
  updateTopic: { status: 200, request: () => ({ body: { name: 'trouble' } }) },
  deleteTopic: {
    status: 204,
    request: async ({ make }) => ({
      params: { topicId: (await make('POST', `${projects}/topics`, { name: 'old' })).id },
    }),
  },
  createEventTopicRoute: {
    status: 201,
    request: ({ tenant }) => ({ body: { eventType: 'installation.created', topicId: tenant.ids.topicId } }),
  },
  listEventTopicRoutes: { status: 200 },
  deleteEventTopicRoute: {
    status: 204,
    request: async ({ make, tenant }) => {
      const body = { eventType: 'installation.deleted', topicId: tenant.ids.topicId }
      return { params: { routeId: (await make('POST', `${projects}/notification-event-topic-routes`, body)).id } }
    },
  },
  createTopicDestinationRoute: {
    status: 201,
    request: async ({ make, tenant }) => {
      const topic = await make('POST', `${projects}/topics`, { name: 'installs' })
      return { body: { topicId: topic.id, destinationId: tenant.ids.destination } }
    },
  },
  listTopicDestinationRoutes: { status: 200 },
  deleteTopicDestinationRoute: {
    status: 204,
    request: async ({ make, tenant }) => {
      const topic = await make('POST', `${projects}/topics`, { name: 'unheard' })
      const body = { topicId: topic.id, destinationId: tenant.ids.destination }
      return { params: { routeId: (await make('POST', `${projects}/topic-destination-routes`, body)).id } }
    },
  },
}

/** Posts a message to the tenant's destination. */
function post(app: World['app'], result?: Buffer): Promise<void> {
  const payload = result
    ? Buffer.from('{"resultInfo":{"type":"url","numRecords":1,"downloadUrl":""}}')
    : Buffer.from('{"action":"read"}')
  const message = { destinationName: 'hook', kind: 'read', payload, ...(result && { result }) } as const
  return app.db.transaction((tx) => postMessages(tx, app.app.services, [message]))
}
