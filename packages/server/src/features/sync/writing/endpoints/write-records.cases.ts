import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { startSite } from '../site.testkit.ts'
import { writeRecords } from './write-records.ts'

const provider = 'wordPressSelfHosted'
const written = {
  specVersion: '1.0.0',
  integrations: [{ name: 'written', provider, write: { objects: [{ objectName: 'posts' }] } }],
}

export const cases = casesOf(writeRecords, {
  request: (ids) => ({ body: { groupRef: ids.groupRef, type: 'create', record: { email: 'a@b.example' } } }),
  // The integration of the tenant does not write.
  status: 400,
  example: {
    status: 200,
    request: async (world) => {
      const siteUrl = await startSite()
      await world.make('PUT', `${project}/integrations:batch`, { sourceYaml: JSON.stringify(written) })
      const { id: connectionId } = await world.make('POST', `${project}/connections:generate`, {
        groupRef: 'writer',
        consumerRef: 'writer-ada',
        provider,
        basicAuth: { username: 'ada', password: 'an application password' },
        providerMetadata: { siteUrl },
      })
      const config = { content: { provider, write: { objects: { posts: {} } } } }
      const installation = { groupRef: 'writer', connectionId, config }
      await world.make('POST', `${project}/integrations/written/installations`, installation)
      const body = { groupRef: 'writer', type: 'create', record: { title: 'Hello' } }
      return { params: { integrationId: 'written', objectName: 'posts' }, body }
    },
  },
})
