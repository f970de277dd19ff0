import { endpoint, InvalidInput, type Issue, Path, ProjectPath, Ref, reply } from '../../../../../kernel/http/index.ts'
import type { Logger } from '../../../../../kernel/telemetry/index.ts'
import { ProviderNotFound } from '../../../../integrations/catalogue/index.ts'
import { AuthorizationServerUnavailable, AuthorizationServerUnusable } from '../../../authorization-servers/index.ts'
import { ConnectionNotFound, connectionResource, findConnection } from '../../../connections/index.ts'
import { type ConnectServices, connectAccount } from '../../connect-page/connect-account.ts'
import { settleConnectSession } from '../../connect-page/connect-session-store.ts'
import type { Faults } from '../../connect-page/form.ts'
import type { PageContextServices } from '../../connect-page/page-context.ts'
import { openerOriginOf } from '../../opener-origin.ts'
import { fieldsOf } from '../form-resource.ts'
import { assertMayConnect } from '../may-connect.ts'
import { ConnectAccountRequest, ConnectAccountResponse } from '../model.ts'
import { CredentialRefused, ProviderUnreachable } from '../problems.ts'
import { returnUrlIssues } from '../return-url.ts'
import { connectTarget } from '../target.ts'

export const connectProviderAccount = endpoint({
  id: 'connectProviderAccount',
  method: 'POST',
  path: '/projects/{projectIdOrName}/connect-info/providers/{provider}:connect',
  access: 'frontendOperate',
  session: 'connect',
  summary: 'Connect an account with what a customer entered.',
  description:
    'Checks the credential with the provider. With OAuth, the response is an address to open: its window sends the result to the page that opened it, or the browser returns to `returnUrl`. The same account (provider, group, consumer and workspace) is updated and keeps its id.',
  tag: 'Connections',
  audit: { verb: 'connect', resource: 'connection' },
  extension: true,
  params: Path({ ...ProjectPath.properties, provider: Ref }),
  body: ConnectAccountRequest,
  reply: { 200: ConnectAccountResponse },
  problems: [
    InvalidInput,
    ProviderNotFound,
    ConnectionNotFound,
    CredentialRefused,
    ProviderUnreachable,
    AuthorizationServerUnusable,
    AuthorizationServerUnavailable,
  ],
  run: async (
    { db, params: { provider }, body, caller, confinedTo, headers, signal, project, note },
    services: ConnectServices & PageContextServices & { log: Logger },
  ) => {
    const { connectionId: reconnects, groupRef, consumerRef } = body
    const asked = { caller, confinedTo, groupRef, consumerRef, provider, connectionId: reconnects }
    const { purpose, options, session } = await connectTarget(db, services, asked, 'body')
    const method = options.methods.find(({ scheme }) => scheme === body.scheme)
    if (!method) throw new InvalidInput({ issues: [noScheme(body.scheme, options.methods)] })
    await assertMayConnect(db, services, { session, options, method })
    const fields = fieldsOf(options, method)
    const names = new Set(fields.map(({ name }) => name))
    const issues: Issue[] = Object.keys(body.values)
      .filter((name) => !names.has(name))
      .map((name) => ({ in: 'body', name: `values.${name}`, detail: 'The form has no such field.' }))
    const leaves = method.key === 'oauth2' || method.key === 'conversation'
    const isRedirect = leaves && body.mode === 'redirect'
    if (isRedirect) issues.push(...(await returnUrlIssues(db, services, body.returnUrl, session)))
    if (issues.length > 0) throw new InvalidInput({ issues })
    const values = new Map(
      fields.map(({ name, trimmed }) => {
        const value = Object.hasOwn(body.values, name) ? (body.values[name] ?? '') : ''
        return [name, trimmed ? value.trim() : value]
      }),
    )
    const openerOrigin = openerOriginOf(headers)
    const end = {
      ...(session && { sessionId: session.id }),
      ...(openerOrigin !== undefined && { openerOrigin }),
      ...(isRedirect && body.returnUrl !== undefined && { returnUrl: body.returnUrl }),
    }
    const sent = { purpose, options, method, fields, values, signal, back: { end } }
    const outcome = await connectAccount(db, services, sent)
    const noStore = { 'cache-control': 'no-store' }
    if ('leadsTo' in outcome) return reply(200, { outcome: 'redirect' as const, url: outcome.leadsTo }, noStore)
    if ('faults' in outcome) throw new InvalidInput({ issues: issuesOf(outcome.faults) })
    if ('fault' in outcome) {
      const { kind, text: failure, reason, words = reason } = outcome.fault
      if (session) await settleConnectSession(db, session.id, { failure })
      const said = words === undefined ? {} : { detail: words }
      throw kind === 'refused' ? new CredentialRefused(said) : new ProviderUnreachable(said)
    }
    const { connectionId } = outcome
    note({ resourceId: connectionId })
    if (session) await settleConnectSession(db, session.id, { connectionId })
    services.log.info(
      { projectId: project.id, provider, connectionId, askedBy: purpose.askedBy },
      'connected an account with components',
    )
    const row = await findConnection(db, connectionId)
    if (!row) throw new ConnectionNotFound()
    return reply(200, { outcome: 'connected' as const, connection: connectionResource(row) }, noStore)
  },
})

function noScheme(value: string, methods: readonly { scheme: string }[]): Issue {
  const names = methods.map(({ scheme }) => scheme).join(', ')
  return {
    in: 'body',
    name: 'scheme',
    value,
    detail: 'The account cannot be connected with this authentication method.',
    remedy: names === '' ? 'Store a provider app of the provider first.' : `Use one of: ${names}.`,
  }
}

function issuesOf(faults: Faults): Issue[] {
  return [...faults].map(([name, detail]) => ({ in: 'body', name: name === '' ? 'values' : `values.${name}`, detail }))
}
