import { createHmac } from 'node:crypto'
import { casesOf, type ExampleRequest } from '../../../../testkit/cases.ts'
import { project, type World } from '../../../../testkit/world.ts'
import { receiveAppEvents } from './receive-app-events.ts'

export const cases = casesOf(receiveAppEvents, {
  // Nothing is signed.
  status: 404,
  example: {
    status: 200,
    request: (world) => signedBySlack(world, { type: 'url_verification', challenge: 'a-challenge' }),
  },
  refused: { status: 404, request: { bytes: Buffer.from('{}') } },
})

async function signedBySlack({ app, make }: World, event: object): Promise<ExampleRequest> {
  const subscribe = { objects: [{ objectName: 'users', destination: 'hook' }] }
  const manifest = { specVersion: '1.0.0', integrations: [{ name: 'slack', provider: 'slack', subscribe }] }
  await make('PUT', `${project}/integrations:batch`, { sourceYaml: JSON.stringify(manifest) })
  await make('POST', `${project}/provider-apps`, {
    provider: 'slack',
    clientId: 'a-client',
    clientSecret: 'a-client-secret',
    metadata: { providerParams: { signingSecret: 'a-secret' } },
  })
  const time = Math.floor(app.clock.now().getTime() / 1_000)
  const bytes = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha256', 'a-secret').update(`v0:${time}:${bytes}`).digest('hex')
  return {
    params: { projectIdOrName: app.projectId, integrationId: 'slack' },
    bytes,
    headers: {
      'content-type': 'application/json',
      'x-slack-signature': `v0=${signature}`,
      'x-slack-request-timestamp': `${time}`,
    },
  }
}
