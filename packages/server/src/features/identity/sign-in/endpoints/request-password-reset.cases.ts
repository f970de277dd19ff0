import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { startTestApp } from '../../../../testkit/test-app.ts'
import { requestPasswordReset } from './request-password-reset.ts'

export const cases = casesOf(requestPasswordReset, {
  request: () => ({ body: { email: `${newId()}@nowhere.example` } }),
  // Only a service that sends mail offers this.
  status: 409,
  example: {
    status: 204,
    request: async () => {
      const limits = { MORTISE_RATE_LIMIT: '100', MORTISE_ADDRESS_RATE_LIMIT: '100' }
      const env = { MORTISE_SMTP_URL: 'smtp://mail.example.com', MORTISE_ROLES: 'api', ...limits }
      const app = await startTestApp({ env })
      const body = { email: 'ada@acme.example' }
      const answer = await fetch(`${app.url}/v1/password-resets`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const { status, headers } = answer
      const text = await answer.text()
      await app.stop()
      return { body, answer: { status, headers, text } }
    },
  },
})
