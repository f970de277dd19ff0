import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, NotFound, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { browserSecretOf } from '../browser-cookie.ts'
import { clientUrl } from '../client-url.ts'
import { signInHeaders, stalePage } from '../refusal-page.ts'
import { codeSeconds, digestOf, isSecret, later, newSecret } from '../secrets.ts'
import { signInProject } from '../sign-in-project.ts'
import { endSignIn, useTicket } from '../sign-in-store.ts'
import { projectIssuer } from '../token-issuer.ts'

const parameter = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }))

export const continueAgentSignIn = endpoint({
  id: 'continueAgentSignIn',
  method: 'GET',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/continue',
  access: 'public',
  summary: 'The browser of a user returns from your page, and goes to the client.',
  description:
    'The `redirectUrl` of a sign-in leads here. It works once, and only in the browser that began the sign-in: another one ends it, so a link of somebody else does no harm.',
  tag: 'Agent sign-in',
  extension: true,
  rateScope: 'endpoint',
  params: ProjectPath,
  // Untyped, so that a repeated or overlong value also gets a page as its response.
  query: Type.Object({ request: parameter('Id of the sign-in.'), ticket: parameter('Secret of the URL.') }),
  produces: 'text/html; charset=utf-8',
  reply: { 303: Empty, 400: Type.String() },
  problems: [NotFound],
  run: async (
    { params, url, headers, isHead },
    services: { database: Database; now: () => Date; publicUrl: string },
  ) => {
    const project = await signInProject(services, params.projectIdOrName)
    const query = new URLSearchParams(url.split('?')[1] ?? '')
    const [id, ticket] = [query.get('request') ?? '', query.get('ticket') ?? '']
    if (isHead || !isSecret(ticket)) return reply(400, stalePage(), signInHeaders)
    const db = services.database.forProject(project.id)
    const ticketHash = digestOf(ticket)
    const code = newSecret()
    const now = services.now()
    const browserSecret = browserSecretOf(services, headers)
    const signIn =
      browserSecret !== undefined &&
      (await useTicket(db, id, {
        ticketHash,
        browserHash: digestOf(browserSecret),
        codeHash: digestOf(code),
        now,
        codeExpireTime: later(now, codeSeconds),
      }))
    if (!signIn) {
      await endSignIn(db, id, ticketHash)
      return reply(400, stalePage(), signInHeaders)
    }
    const location = clientUrl(projectIssuer(services.publicUrl, project), signIn, code)
    return reply(303, null, { ...signInHeaders, location })
  },
})
