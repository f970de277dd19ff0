import { endpoint, InvalidInput, reply } from '../../../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../../../kernel/net/index.ts'
import { ConnectionNotFound, connectionResource, findConnection } from '../../../connections/index.ts'
import { openerOriginOf } from '../../opener-origin.ts'
import { checkedStart, furtherIssues } from '../checked-start.ts'
import { CustomAuthConnectRequest, CustomAuthConnectResponse } from '../model.ts'
import { CustomAuthRefused, CustomAuthSessionEnded, CustomAuthUnavailable } from '../problems.ts'
import { runAuthenticationSteps, type StepServices } from '../run-authentication-steps.ts'
import { takeSession } from '../session.ts'

export const customAuthConnect = endpoint({
  id: 'customAuthConnect',
  method: 'POST',
  path: '/custom-auth/connect',
  access: 'frontendOperate',
  projectIn: 'body',
  summary: 'Connect an account of a provider with multi-step authentication.',
  description:
    'Call it with the customer’s inputs. If the response is a `redirect`, open its URL in a window. The window’s last page passes on the parameters that the provider sent. Send them in the next call with the `sessionId`. The response `connection` is the end. The same account (provider, group, consumer and workspace) is updated and keeps its id.',
  tag: 'Connections',
  audit: { verb: 'connect', resource: 'connection' },
  body: CustomAuthConnectRequest,
  reply: { 200: CustomAuthConnectResponse },
  problems: [InvalidInput, CustomAuthRefused, CustomAuthUnavailable, CustomAuthSessionEnded, ConnectionNotFound],
  moreIssues: furtherIssues,
  run: async ({ db, body, confinedTo, headers, signal }, services: StepServices & { guard: AddressGuard }) => {
    const session = body.sessionId
      ? await takeSession(db, services, body.sessionId)
      : await checkedStart(db, services, body, openerOriginOf(headers))
    // A session of somebody else looks like none, and is used up by the attempt.
    const isTheirs =
      confinedTo === undefined ||
      (session?.groupRef === confinedTo.groupRef && session.consumerRef === confinedTo.consumerRef)
    if (!session || !isTheirs) throw new CustomAuthSessionEnded()
    const outcome = await runAuthenticationSteps(db, services, session, { params: body.callbackParams, signal })
    const headersOut = { 'cache-control': 'no-store' }
    if ('redirect' in outcome) return reply(200, { redirect: outcome.redirect }, headersOut)
    const row = await findConnection(db, outcome.connectionId)
    if (!row) throw new ConnectionNotFound()
    return reply(200, { connection: connectionResource(row) }, headersOut)
  },
})
