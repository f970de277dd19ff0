import { ampCookie } from '../amp-cookie.ts'
import { sentForm } from '../page-endpoint.ts'
import { startSession } from '../sessions.ts'

export const submitAmpCli = sentForm({
  id: 'submitAmpCli',
  path: '//signin/amp-cli',
  audit: { verb: 'signIn', resource: 'session' },
  summary: 'Send the browser back to the existing command line with a session.',
  run: async ({ owner, address, userAgent, note }, services) => {
    if (!owner) return { to: '/signin' }
    const { builderId } = owner
    note({ outcome: 'success' })
    const { sessionId, token } = await startSession(services.database.system, services, {
      builderId,
      kind: 'cli',
      method: owner.method ?? undefined,
      origin: { address, userAgent },
    })
    const handed = { userId: builderId, sessionId, token, cookies: { [ampCookie]: token } }
    const p = Buffer.from(JSON.stringify(handed)).toString('base64')
    // The alphabet of standard base64 has signs that a query means otherwise.
    return { to: `http://localhost:3535/done?${new URLSearchParams({ p })}` }
  },
})
