import { project, type World } from '../../../../testkit/world.ts'

/** Has an agent call a tool that needs approval, in a new group of an integration of its own. Returns the request. */
export async function waitingApproval(world: World, groupRef: string): Promise<string> {
  const provider = 'sampleCrm'
  const object = { objectName: 'contacts', actions: ['create'], confirm: { create: 'approval' } }
  const integration = {
    name: groupRef,
    provider,
    write: { objects: [{ objectName: 'contacts' }] },
    agent: { objects: [object] },
  }
  const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations: [integration] })
  await world.make('PUT', `${project}/integrations:batch`, { sourceYaml })
  await world.connect(groupRef)
  const config = { content: { provider, write: { objects: { contacts: {} } } } }
  await world.make('POST', `${project}/integrations/${groupRef}/installations`, { groupRef, config })
  const [tool] = await world.make<{ name: string }[]>('GET', `${project}/tools?groupRef=${groupRef}`)
  const body = { groupRef, arguments: { fields: { email: `${groupRef}@acme.example` } }, agent: 'helper' }
  const called = await world.make<{ content: { approvalId: string } }>(
    'POST',
    `${project}/tools/${tool?.name}:call`,
    body,
  )
  return called.content.approvalId
}
