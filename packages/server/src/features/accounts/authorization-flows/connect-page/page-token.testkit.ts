import { project, type World } from '../../../../testkit/world.ts'

/** Creates a connect page. Returns the token in its address. */
export async function pageToken({ make }: World): Promise<string> {
  const body = { groupRef: 'by-page', consumerRef: 'ada', provider: 'sampleCrm' }
  const { url } = await make<{ url: string }>('POST', `${project}/connect-sessions`, body)
  return url.split('/').at(-1)!
}
