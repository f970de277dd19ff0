import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import {
  clientSecret,
  type IdentityProvider,
  startIdentityProvider,
} from '../features/identity/sign-in/identity-provider.testkit.ts'
import { firstOwnerLink } from '../features/identity/sign-in/index.ts'
import { sampleCrmProviders } from '../features/sync/reading/reading.testkit.ts'
import { type Browser, openBrowser, type Shown } from './browser.ts'
import { createTenant, type Tenant } from './tenant.ts'
import { startTestApp, type TestApp } from './test-app.ts'
import { signInBuilder, type TestBuilder } from './test-builder.ts'

export const publicUrl = 'https://mortise.example.com'
export const password = 'correct horse battery'
/** The path of the project. */
export const project = '/projects/default'

/** A service with everything that endpoints can be called about, and the partners that it works with. */
export interface World {
  app: TestApp
  crm: SampleCrm
  receiver: WebhookReceiver
  identities: IdentityProvider
  tenant: Tenant
  /** The page of the first owner and its form, which can be had only once. */
  setup: { token: string; shown: Shown; submitted: Shown }
  /** A browser of somebody with a password, signed in or not. */
  browser(signedIn?: 'signed in'): Promise<Browser>
  person: { email: string; builderId: string }
  builder(options: Parameters<typeof signInBuilder>[1]): Promise<TestBuilder>
  /** Creates something with the project's key, or with `headers`. Returns the body of the response. */
  make<T = { id: string }>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
  /** Creates a member of the organization. Returns the id. */
  member(email: string): Promise<string>
  /** Invites a builder to the organization. */
  invite(email: string): Promise<{ id: string; link: string }>
  /** Returns the token of a link that an owner made for a member, to reset the password. */
  resetToken(email: string): Promise<string>
  /** Deploys an integration that reads contacts. `more` is added to its object. */
  deploy(name: string, more?: string): Promise<unknown>
  /** Connects an account of the sample CRM for a new group. Returns the id of the connection. */
  connect(groupRef: string): Promise<string>
  /** Connects an account and installs an integration on it. Returns the id of the installation. */
  install(groupRef: string, integration?: string): Promise<string>
  /** Creates a destination that sends to the receiver. Returns its id. */
  destination(name: string): Promise<string>
  stop(): Promise<void>
}

export async function createWorld(): Promise<World> {
  const identities = await startIdentityProvider(`${publicUrl}/signin/oidc/callback`)
  const env = {
    MORTISE_PROVIDERS_DIR: sampleCrmProviders,
    MORTISE_PUBLIC_URL: publicUrl,
    MORTISE_RATE_LIMIT: '100000',
    MORTISE_ADDRESS_RATE_LIMIT: '100000',
    MORTISE_OIDC_ISSUER: identities.issuer,
    MORTISE_OIDC_CLIENT_ID: 'mortise',
    MORTISE_OIDC_CLIENT_SECRET: clientSecret,
  }
  const app = await startTestApp({ env })
  const crm = await startSampleCrm({ contacts: 3, rateLimit: 0, clock: () => Date.now() - 10_000 })
  const receiver = await startWebhookReceiver({})
  const { database, keyring } = app.app.services
  const link = (await firstOwnerLink({ database, keyring, publicUrl }))!.reveal().slice(publicUrl.length)
  const first = openBrowser(app.url, { origin: publicUrl })
  const shown = await first.get(link)
  const submitted = await first.submit(
    shown,
    { email: 'first@acme.example', name: 'First Owner', password },
    { headers: { origin: publicUrl } },
  )
  const tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'acme' })
  const make: World['make'] = async (method, path, body, headers) => {
    const answer = await app.call(method, path, body, headers ? { apiKey: null, headers } : {})
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as never
  }
  await make('PATCH', `/projects/default/destinations/${tenant.ids.destination}`, {
    updateMask: ['metadata.url'],
    destination: { metadata: { url: receiver.url } },
  })
  const builder: World['builder'] = (options) => signInBuilder(app, options)
  const { email, builderId } = await builder({ email: 'grace@acme.example', role: 'owner', password })
  const connect: World['connect'] = async (groupRef) => {
    const { id } = await make('POST', `${project}/connections:generate?verify=true`, {
      groupRef,
      consumerRef: `${groupRef}-ada`,
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    })
    return id
  }
  const { orgId } = tenant.ids
  const member: World['member'] = async (memberEmail) =>
    (await builder({ email: memberEmail, role: 'developer', orgId })).builderId
  return {
    app,
    crm,
    receiver,
    identities,
    tenant,
    setup: { token: new URLSearchParams(link.split('?')[1]).get('token')!, shown, submitted },
    person: { email, builderId },
    builder,
    async browser(signedIn) {
      const browser = openBrowser(app.url, { origin: publicUrl })
      if (signedIn) await submit(browser, await browser.get('/signin'), { email, password })
      return browser
    },
    make,
    member,
    invite: (guest) => make('POST', `/orgs/${orgId}/invites`, { email: guest }, tenant.owner),
    async resetToken(memberEmail) {
      const path = `/orgs/${orgId}/builders/${await member(memberEmail)}/password-resets`
      const reset = await make<{ link: string }>('POST', path, undefined, tenant.owner)
      return new URL(reset.link).searchParams.get('token')!
    },
    deploy: (name, more = '') =>
      make('PUT', `${project}/integrations:batch`, { sourceYaml: `${contactsManifest(name)}${more}` }),
    connect,
    async install(groupRef, integration = 'acme') {
      const body = installationOf(groupRef, await connect(groupRef))
      return (await make('POST', `${project}/integrations/${integration}/installations`, body)).id
    },
    async destination(name) {
      const body = { name, type: 'webhook', metadata: { url: receiver.url } }
      return (await make('POST', `${project}/destinations`, body)).id
    },
    async stop() {
      await app.stop()
      await Promise.all([crm.close(), receiver.close(), identities.close()])
    },
  }
}

/** Returns the headers of a request that the console of a browser sends. */
export function consoleHeaders(browser: Browser): Record<string, string> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return { cookie, origin: publicUrl, 'sec-fetch-site': 'same-origin', 'x-mortise-console': '1' }
}

/** Sends the form of a page as a browser at the public URL does. */
export function submit(browser: Browser, page: Shown, fields: Record<string, string> = {}): Promise<Shown> {
  return browser.submit(page, fields, { headers: { origin: publicUrl } })
}

/** A manifest of an integration that reads contacts. */
export const contactsManifest = (name: string) => `specVersion: 1.0.0
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

/** The body that installs such an integration. */
export const installationOf = (groupRef: string, connectionId: string) => ({
  groupRef,
  connectionId,
  config: {
    content: {
      provider: 'sampleCrm',
      read: { objects: { contacts: { objectName: 'contacts', selectedFields: { phone: true } } } },
    },
  },
})
