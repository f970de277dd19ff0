import { Type } from 'typebox'
import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { requireEmail } from '../../orgs/index.ts'
import { MailNotSetUp, TooManyPasswordResets } from '../problems.ts'
import { requestReset } from '../request-reset.ts'

export const requestPasswordReset = endpoint({
  id: 'requestPasswordReset',
  method: 'POST',
  path: '/password-resets',
  access: 'public',
  summary: 'Email a link that resets a forgotten password.',
  description:
    'The response is the same whether or not there is an account with this address. The link works once, and for one hour. A newer link replaces it.',
  tag: 'Sign-in',
  extension: true,
  audit: { exempt: 'asks for a link, whatever the address; using the link leaves an entry' },
  body: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 320, description: 'Mail address of the account, in any case.' }),
  }),
  reply: { 204: Empty },
  problems: [MailNotSetUp, TooManyPasswordResets],
  run: async (
    { body, address },
    services: { config: Config; database: Database; keyring: Keyring; now: () => Date; queue: JobQueue },
  ) => {
    await requestReset(services, requireEmail('email', body.email), { address })
    return reply(204, null)
  },
})
