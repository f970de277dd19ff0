import { Type } from 'typebox'
import { shownPage } from '../../../identity/sign-in/index.ts'
import { browserSecretOf } from '../browser-cookie.ts'
import { findWaiting } from '../consent.ts'
import { consentPage, consentPath, staleConsent } from '../consent-page.ts'

export const showAgentConsentPage = shownPage({
  id: 'showAgentConsentPage',
  path: `//${consentPath.slice(1)}`,
  summary: 'The page where a builder decides what an MCP client may do.',
  description: 'The authorization endpoint of the MCP server for builders leads here.',
  query: { request: Type.Optional(Type.String({ description: 'Id of the sign-in.' })) },
  run: async ({ query, owner, formToken, headers }, services) => {
    const row = await findWaiting(services, query['request'], browserSecretOf(services, headers))
    if (!row) return staleConsent()
    const next = `${consentPath}?${new URLSearchParams({ request: row.id })}`
    if (!owner) return { to: `/signin?${new URLSearchParams({ next })}` }
    return consentPage(row, { formToken, email: owner.email })
  },
})
