import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import {
  clientSecret,
  type IdentityProvider,
  startIdentityProvider,
} from '../../packages/server/src/features/identity/sign-in/identity-provider.testkit.ts'
import { firstOwnerLink } from '../../packages/server/src/features/identity/sign-in/index.ts'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Browser, openBrowser, type Shown } from '../../packages/server/src/testkit/browser.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../packages/server/src/testkit/test-builder.ts'
import { createTenant, type Tenant } from '../tenant.testkit.ts'

export const publicUrl = 'https://mortise.example.com'
export const password = 'correct horse battery'

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
  /** Makes something with the project's key, or as `headers` say; answers its body. */
  make<T = { id: string }>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
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
    async stop() {
      await app.stop()
      await Promise.all([crm.close(), receiver.close(), identities.close()])
    },
  }
}

/** Sends the form of a page as a browser at the public URL does. */
export function submit(browser: Browser, page: Shown, fields: Record<string, string> = {}): Promise<Shown> {
  return browser.submit(page, fields, { headers: { origin: publicUrl } })
}
