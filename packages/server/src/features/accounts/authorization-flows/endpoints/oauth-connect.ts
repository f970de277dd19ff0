import { Type } from 'typebox'
import { authorOf, endpoint, InvalidInput, maySeeSecrets, reply } from '../../../../kernel/http/index.ts'
import {
  AuthorizationServerUnavailable,
  AuthorizationServerUnusable,
  type OwnClientServices,
} from '../../authorization-servers/index.ts'
import { beginFlow } from '../begin-flow.ts'
import { type CheckServices, checkedAccount, furtherIssues } from '../checked-account.ts'
import { OAuthConnectRequest } from '../model.ts'
import { openerOriginOf } from '../opener-origin.ts'

export const oauthConnect = endpoint({
  id: 'oauthConnect',
  method: 'POST',
  path: '/oauth-connect',
  access: 'frontendOperate',
  projectIn: 'body',
  summary: 'Connect an account by OAuth: get the URL to open in a browser.',
  description:
    'The URL is valid for ten minutes and for one account. Only the browser that opens it can finish. The window ends on a page of this service, which sends the result to the page that opened the window. The same account (provider, group, consumer and workspace) is updated and keeps its id.',
  tag: 'Connections',
  audit: { verb: 'connect', resource: 'oauth-flow' },
  body: OAuthConnectRequest,
  produces: 'text/plain; charset=utf-8',
  reply: { 200: Type.String({ description: 'The URL to open in its own window.' }) },
  problems: [InvalidInput, AuthorizationServerUnusable, AuthorizationServerUnavailable],
  moreIssues: furtherIssues,
  run: async ({ db, body, caller, headers, signal }, services: CheckServices & OwnClientServices) => {
    const account = await checkedAccount(db, services, body)
    const { groupRef, groupName, consumerRef, consumerName } = body
    const url = await beginFlow(db, services, {
      account,
      purpose: {
        kind: 'connect',
        groupRef,
        ...(groupName && { groupName }),
        consumerRef,
        ...(consumerName && { consumerName }),
      },
      // What runs in a browser cannot switch the protection off: it may be an attacker's own page.
      bound: body.enableCSRFProtection !== false || !maySeeSecrets(caller),
      openerOrigin: openerOriginOf(headers),
      askedBy: authorOf(caller),
      signal,
    })
    return reply(200, url, { 'cache-control': 'no-store' })
  },
})
