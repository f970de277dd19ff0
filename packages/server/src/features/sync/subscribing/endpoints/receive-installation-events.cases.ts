import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { casesOf, type ExampleRequest } from '../../../../testkit/cases.ts'
import { project, type World } from '../../../../testkit/world.ts'
import { encryptRegistrationSecret } from '../registration-secret.ts'
import { insertRegistration, upsertSubscription } from '../store.ts'
import { receiveInstallationEvents } from './receive-installation-events.ts'

export const cases = casesOf(receiveInstallationEvents, {
  // Nothing is signed.
  status: 404,
  example: {
    status: 200,
    request: async (world) =>
      signedByStripe(world, await registered(world), { id: 'evt_1', type: 'customer.created', data: { object: {} } }),
  },
  refused: { status: 404, request: () => ({ bytes: Buffer.from('{}') }) },
})

/** Registers an installation of Stripe, as its job does. Returns its id. */
async function registered({ app, make }: World): Promise<string> {
  // It subscribes to nothing. Otherwise a job would ask Stripe, and delete what was registered here.
  const integration = { name: 'stripe', provider: 'stripe', proxy: { enabled: true } }
  await make('PUT', `${project}/integrations:batch`, {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }),
  })
  const account = { groupRef: 'paying', consumerRef: 'ada', provider: 'stripe', apiKey: 'a-key' }
  const { id: connectionId } = await make('POST', `${project}/connections:generate`, account)
  const { id: installationId, integrationId } = await make<{ id: string; integrationId: string }>(
    'POST',
    `${project}/integrations/stripe/installations`,
    { groupRef: 'paying', connectionId, config: { content: { provider: 'stripe' } } },
  )
  const { newId, keyring } = app.app.services
  await upsertSubscription(app.db, { installationId, integrationId, due: sql`now() + interval '1 day'` })
  const id = newId()
  await insertRegistration(app.db, {
    id,
    installation_id: installationId,
    connection_id: connectionId,
    key: 'by hand',
    events: [],
    object: null,
    event: null,
    encrypted_secret: encryptRegistrationSecret({ keyring }, app.projectId, id, 'a-secret'),
  })
  return installationId
}

function signedByStripe({ app }: World, installationId: string, event: object): ExampleRequest {
  const time = Math.floor(app.clock.now().getTime() / 1_000)
  const bytes = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha256', 'a-secret').update(`${time}.${bytes}`).digest('hex')
  return {
    params: { projectIdOrName: app.projectId, integrationId: 'stripe', installationId },
    bytes,
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` },
  }
}
