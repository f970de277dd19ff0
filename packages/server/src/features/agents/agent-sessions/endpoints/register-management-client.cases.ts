import { casesOf } from '../../../../testkit/cases.ts'
import { registerManagementClient } from './register-management-client.ts'

export const cases = casesOf(registerManagementClient, {
  status: 400,
  example: {
    status: 201,
    request: () => {
      const metadata = { client_name: 'Desk', redirect_uris: ['http://127.0.0.1/callback'] }
      const headers = { 'content-type': 'application/json' }
      return { bytes: Buffer.from(JSON.stringify(metadata)), headers }
    },
  },
})
