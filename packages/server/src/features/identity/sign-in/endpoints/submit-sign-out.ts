import { noSessionCookie } from '../browser.ts'
import { sentForm } from '../page-endpoint.ts'
import { endSession } from '../sessions.ts'

export const submitSignOut = sentForm({
  id: 'submitSignOut',
  path: '//signin/out',
  summary: 'End the session of the browser.',
  run: async ({ owner }, services) => {
    if (owner) await endSession(services, owner.sessionId)
    return { to: '/signin', cookies: [noSessionCookie(services)] }
  },
})
