import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, NotFound, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import type { AddressGuard, Outbound } from '../../../../kernel/net/index.ts'
import { beginSignIn } from '../begin-sign-in.ts'
import { browserFor } from '../browser-cookie.ts'
import { refusedPage, signInHeaders } from '../refusal-page.ts'
import { signInProject } from '../sign-in-project.ts'

const parameter = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }))

export const beginAgentSignIn = endpoint({
  id: 'beginAgentSignIn',
  method: 'GET',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/authorize',
  access: 'public',
  summary: 'Authorization endpoint (RFC 6749): the browser of a user begins to sign in.',
  description:
    'Checks the request, stores it for ten minutes, and redirects to `agentSignInUrl` of the project with `request`. A request that is not valid gets a page, and never a redirect.',
  tag: 'Agent sign-in',
  extension: true,
  rateScope: 'endpoint',
  params: ProjectPath,
  // Untyped, so that a repeated or overlong value also gets a page as its response.
  query: Type.Object({
    response_type: parameter('`code`.'),
    client_id: parameter('Id of the client, or the address of its metadata document.'),
    redirect_uri: parameter('Where the browser goes at the end; one of the client’s.'),
    code_challenge: parameter('Challenge of PKCE (RFC 7636).'),
    code_challenge_method: parameter('`S256`.'),
    resource: parameter('Address of the MCP server (RFC 8707).'),
    scope: parameter('Scopes. There is one, `mcp`.'),
    state: parameter('Returned unchanged.'),
  }),
  produces: 'text/html; charset=utf-8',
  reply: { 303: Empty, 400: Type.String() },
  problems: [NotFound],
  run: async (
    { params, url, headers, isHead, signal },
    services: {
      database: Database
      outbound: Outbound
      guard: AddressGuard
      now: () => Date
      newId: NewId
      publicUrl: string
    },
  ) => {
    const project = await signInProject(services, params.projectIdOrName)
    if (isHead) return reply(400, '', signInHeaders)
    const browser = browserFor(services, headers)
    const parameters = new URLSearchParams(url.split('?')[1] ?? '')
    const request = { project, parameters, browserSecret: browser.secret, signal }
    const begun = await beginSignIn(services.database.forProject(project.id), services, request)
    if ('faults' in begun) return reply(400, refusedPage(begun), signInHeaders)
    return reply(303, null, { ...signInHeaders, location: begun.url, 'set-cookie': browser.setCookie })
  },
})
