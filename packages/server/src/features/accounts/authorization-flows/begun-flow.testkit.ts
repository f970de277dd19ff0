import type { World } from '../../../testkit/world.ts'

/** Starts a flow at Salesforce. Returns its state. */
export async function begunFlow({ make, tenant }: World, enableCSRFProtection: boolean): Promise<string> {
  const { projectIdOrName, groupRef, providerAppId } = tenant.ids
  const url = await make<string>('POST', '/oauth-connect', {
    projectIdOrName,
    groupRef,
    consumerRef: 'a-person',
    provider: 'salesforce',
    providerWorkspaceRef: 'acme',
    providerAppId,
    enableCSRFProtection,
  })
  return new URL(url).searchParams.get('state')!
}
