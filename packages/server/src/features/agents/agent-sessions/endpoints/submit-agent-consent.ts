import { sentForm } from '../../../identity/sign-in/index.ts'
import { browserSecretOf } from '../browser-cookie.ts'
import { decideAsBuilder } from '../consent.ts'
import { consentPath, staleConsent } from '../consent-page.ts'

export const submitAgentConsent = sentForm({
  id: 'submitAgentConsent',
  path: `//${consentPath.slice(1)}`,
  audit: { exempt: 'makes a code; exchanging it for a session leaves an entry' },
  summary: 'Send the browser back to an MCP client, with the decision of the builder.',
  run: async ({ form, owner, headers }, services) => {
    const browserSecret = browserSecretOf(services, headers)
    const id = form.get('request') ?? ''
    if (!owner) return { to: '/signin' }
    if (browserSecret === undefined) return staleConsent()
    const decision =
      form.get('decision') === 'connect'
        ? { builderSessionId: owner.sessionId, mayChange: form.get('access') === 'change' }
        : ('refused' as const)
    const to = await decideAsBuilder(services, { id, browserSecret }, decision)
    // The address of the page has no secret, but the client has no use for it.
    return to === undefined ? staleConsent() : { to, headers: { 'referrer-policy': 'no-referrer' } }
  },
})
