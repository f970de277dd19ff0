import { casesOf } from '../../../../testkit/cases.ts'
import { updateInstallation } from './update-installation.ts'

export const cases = casesOf(updateInstallation, {
  request: (ids) => ({
    body: {
      updateMask: ['connectionId', 'config.content.read.objects.contacts'],
      installation: {
        connectionId: ids.connectionId,
        config: { content: { read: { objects: { contacts: { objectName: 'contacts', schedule: '0 0 29 2 *' } } } } },
      },
    },
  }),
  status: 200,
})
