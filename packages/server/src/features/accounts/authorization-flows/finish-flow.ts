import { schemeName } from '@mortise/providers'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { entryOfConnection } from '../connection-inputs/index.ts'
import {
  ConnectionExists,
  ConnectionNotFound,
  checkedAfterwards,
  findConnection,
  lockConnections,
  reauthoriseConnection,
  saveConnection,
} from '../connections/index.ts'
import { assertIssuer } from './assert-issuer.ts'
import type { CallbackParameters } from './callback-parameters.ts'
import { authSchemeOf, type CodeGrant, codeGrantOf } from './code-grant.ts'
import { exchangeCode } from './exchange-code.ts'
import type { Flow } from './flow.ts'
import { FlowFailure, refusalAtProvider } from './flow-failure.ts'
import { assertSameAccount, grantedAccount } from './granted-account.ts'
import { withRedirectFields } from './redirect-fields.ts'

export type FinishServices = Parameters<typeof checkedAfterwards>[1] & { newId: NewId }

/**
 * Turns a provider's authorization response into a connection and returns its id. Every expected value comes from the
 * flow that the state belongs to, so that the code of one provider never reaches the token endpoint of another (RFC
 * 9700, 4.4).
 *
 * @throws FlowFailure
 */
export async function finishFlow(
  db: ProjectDb,
  services: FinishServices,
  { flow, answer, signal }: { flow: Flow; answer: CallbackParameters; signal: AbortSignal },
): Promise<string> {
  const entry = entryOfConnection(services.catalogue, { provider: flow.provider, scheme_name: flow.schemeName ?? null })
  const grant = entry && codeGrantOf(entry)
  if (!entry || !grant) throw new FlowFailure('unknown_provider', `${flow.provider} is no longer supported.`)
  assertIssuer(entry, grant, flow, answer.iss)
  if (answer.error !== undefined) throw refusalAtProvider(entry.displayName, answer.error)
  const code = codeOf(answer, grant.redirectFields)
  if (code === undefined)
    throw new FlowFailure('no_code', `${entry.displayName} returned no authorization code. Start again.`)
  const answered = await exchangeCode(db, services, { entry, grant, flow, code, signal })
  const tokens = withRedirectFields(answered, grant.redirectFields, answer.further)
  const account = grantedAccount(flow, tokens)
  const values = {
    ...account,
    schemeName: schemeName(grant),
    authScheme: authSchemeOf(grant) ?? ('oauth2/authorizationCode' as const),
    providerAppId: flow.providerAppId,
  }
  try {
    return await checkedAfterwards(db, services, { wait: true, signal }, async (tx) => {
      const { purpose, provider } = flow
      if (purpose.kind === 'connect') {
        const { groupRef, groupName, consumerRef, consumerName } = purpose
        return saveConnection(tx, services, { provider, groupRef, groupName, consumerRef, consumerName, ...values })
      }
      const id = purpose.connectionId
      await lockConnections(tx, { ids: [id] })
      const known = await findConnection(tx, id)
      if (!known) throw new ConnectionNotFound()
      assertSameAccount(entry, known, tokens)
      return reauthoriseConnection(tx, services, { id, ...values })
    })
  } catch (cause) {
    throw asFailure(cause)
  }
}

/** Returns the authorization code, which some providers send under another name. */
function codeOf({ code, codes }: CallbackParameters, fields: CodeGrant['redirectFields']): string | undefined {
  const name = fields?.code
  if (name === undefined || name === 'code') return code
  return Object.hasOwn(codes, name) ? codes[name] : undefined
}

/** Converts errors caused by rows that changed while the person was at the provider. */
function asFailure(cause: unknown): unknown {
  if (cause instanceof ConnectionNotFound)
    return new FlowFailure('connection_gone', 'The connection was deleted in the meantime. Nothing was connected.', {
      cause,
    })
  if (cause instanceof ConnectionExists)
    return new FlowFailure('connection_exists', 'Another connection already uses this account.', { cause })
  if ((cause as { code?: unknown }).code === missingReference)
    return new FlowFailure('app_changed', 'The application changed in the meantime. Start again.', { cause })
  return cause
}

/** SQLSTATE: the provider app was deleted. */
const missingReference = '23503'
