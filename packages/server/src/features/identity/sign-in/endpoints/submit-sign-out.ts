import { noSessionCookie } from '../browser.ts'
import { sentForm } from '../page-endpoint.ts'
import { endSession } from '../sessions.ts'

export const submitSignOut = sentForm({
  id: 'submitSignOut',
  path: '//signin/out',
  audit: { verb: 'signOut', resource: 'session' },
  beforeSecondFactor: true,
  summary: 'End the session of the browser.',
  run: async ({ owner, note }, services) => {
    note({ outcome: owner ? 'success' : 'none' })
    if (owner) await endSession(services, owner.sessionId)
    return { to: '/signin', cookies: [noSessionCookie(services)] }
  },
})
