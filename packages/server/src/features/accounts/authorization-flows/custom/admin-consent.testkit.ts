import { project, type World } from '../../../../testkit/world.ts'

/** Creates a provider app of Microsoft. Returns the body that starts an authentication of several steps with it. */
export async function adminConsent({ make, tenant }: World): Promise<object> {
  const provider = 'microsoftAdminConsent'
  const app = { provider, clientId: 'a-client', clientSecret: 'a-client-secret' }
  const { id: providerAppId } = await make('POST', `${project}/provider-apps`, app)
  const { projectIdOrName, groupRef } = tenant.ids
  return {
    projectIdOrName,
    groupRef,
    groupName: 'A group',
    consumerRef: 'a-person',
    consumerName: 'A person',
    provider,
    providerAppId,
    providerMetadata: {},
    customAuth: {},
  }
}

/** Starts the authentication and sends the browser to Microsoft. Returns the state. */
export async function begunConsent(world: World): Promise<string> {
  const body = await adminConsent(world)
  const { redirect } = await world.make<{ redirect: { url: string } }>('POST', '/custom-auth/connect', body)
  return new URL(redirect.url).searchParams.get('state')!
}
