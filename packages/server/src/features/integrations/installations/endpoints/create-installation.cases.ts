import { casesOf } from '../../../../testkit/cases.ts'
import { contactsConfig } from '../../../../testkit/tenant.ts'
import { installationOf } from '../../../../testkit/world.ts'
import { createInstallation } from './create-installation.ts'

export const cases = casesOf(createInstallation, {
  request: (ids) => ({ body: { groupRef: ids.groupRef, connectionId: ids.connectionId, config: contactsConfig } }),
  // The integration is installed for this group already.
  status: 400,
  usesSpareGroup: true,
  example: {
    status: 201,
    request: async (world) => ({ body: installationOf('initech', await world.connect('initech')) }),
  },
})
