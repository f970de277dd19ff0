import { casesOf, type ExampleRequest } from '../../../../testkit/cases.ts'
import { project, type World } from '../../../../testkit/world.ts'
import { getInstallationWebhook } from './get-installation-webhook.ts'

export const cases = casesOf(getInstallationWebhook, {
  // Customers of the sample CRM set up no webhook.
  status: 404,
  example: { status: 200, request: (world) => manuallySetUp(world, 'shown') },
})

/** Installs an integration whose customers set up the webhook at the provider. */
export async function manuallySetUp({ app, make }: World, name: string): Promise<ExampleRequest> {
  const subscribe = { objects: [{ objectName: 'subscriptions', destination: 'hook' }] }
  const integrations = [{ name, provider: 'recurly', subscribe }]
  await make('PUT', `${project}/integrations:batch`, {
    sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }),
  })
  const account = { groupRef: name, consumerRef: 'ada', provider: 'recurly' }
  const basicAuth = { username: 'an-api-key', password: '' }
  const { id: connectionId } = await make('POST', `${project}/connections:generate`, { ...account, basicAuth })
  const { id } = await make('POST', `${project}/integrations/${name}/installations`, {
    groupRef: name,
    connectionId,
    config: { content: { provider: 'recurly' } },
  })
  return { params: { projectIdOrName: app.projectId, integrationId: name, installationId: id } }
}
