import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { InvalidInput, Problem } from '../../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../../kernel/net/index.ts'
import { AuthorizationServerUnavailable, AuthorizationServerUnusable } from '../../authorization-servers/index.ts'
import { checkedConnection } from '../../connection-inputs/index.ts'
import { checkedAfterwards, saveConnection } from '../../connections/index.ts'
import { beginFlow } from '../begin-flow.ts'
import { checkedAccount } from '../checked-account.ts'
import { checkedReconnect } from '../checked-reconnect.ts'
import {
  CustomAuthRefused,
  CustomAuthUnavailable,
  checkedStart,
  hashedBrowser,
  runAuthenticationSteps,
  type StepServices,
  startUrlOf,
} from '../custom/index.ts'
import { type FlowEnd, flowMinutes } from '../flow.ts'
import type { ConnectOptions } from './connect-options.ts'
import { type ConnectPurpose, connectSessionMinutes } from './connect-session.ts'
import { clearFailure, extendConnectSession } from './connect-session-store.ts'
import { type CredentialFault, faultOf } from './fault-of.ts'
import { type Faults, faultsOf, fieldFaults, requestOf } from './form.ts'
import type { AuthenticationMethod, Field } from './methods.ts'
import type { WaitingPage } from './waiting-page.ts'

export type ConnectServices = StepServices & { guard: AddressGuard }

/** What a person sent. */
export interface Submitted {
  purpose: ConnectPurpose
  /** Where the browser returns to from the provider: its form, or where components let a flow end. */
  back: { page: WaitingPage; browserSecret: string } | { end: FlowEnd }
  options: ConnectOptions
  method: AuthenticationMethod
  fields: readonly Field[]
  values: ReadonlyMap<string, string>
  signal: AbortSignal
}

/** `leadsTo`: a page at which access is granted, after which the browser comes back to the session's page. */
export type Connected = { connectionId: string } | { leadsTo: string } | { faults: Faults } | { fault: CredentialFault }

/**
 * Connects an account with what a person gave; says what is wrong with it otherwise, at the fields that it is about.
 */
export async function connectAccount(db: ProjectDb, services: ConnectServices, sent: Submitted): Promise<Connected> {
  const { options, method, fields, values, purpose } = sent
  const faults = fieldFaults(fields, values)
  if (faults.size > 0) return { faults }
  const { known } = options
  const request = {
    ...requestOf(options.entry, method, purpose, values),
    // The connection that is meant keeps its workspace, by which it is found.
    ...(known && { providerWorkspaceRef: known.provider_workspace_ref ?? '' }),
  }
  try {
    switch (method.key) {
      case 'oauth2':
        return await beginAtProvider(db, services, sent, request)
      case 'conversation':
        return await beginConversation(db, services, sent, request)
      default:
        return await keepCredential(db, services, sent, request)
    }
  } catch (error) {
    const fault = 'page' in sent.back ? serverFault(error) : undefined
    if (fault) return { fault }
    if (!(error instanceof InvalidInput)) throw error
    return { faults: faultsOf((error as InstanceType<typeof InvalidInput>).issues, fields) }
  }
}

/** Returns what a page says of a server that does not describe how to authorize an account. */
function serverFault(error: unknown): CredentialFault | undefined {
  if (!(error instanceof Problem)) return undefined
  const { declaration, message } = error
  if (declaration === AuthorizationServerUnavailable.declaration)
    return { kind: 'unreachable', text: message, reason: message }
  if (declaration === AuthorizationServerUnusable.declaration)
    return { kind: 'refused', text: message, reason: message }
  return undefined
}

type Request = ReturnType<typeof requestOf>

async function keepCredential(
  db: ProjectDb,
  services: ConnectServices,
  { options, signal }: Submitted,
  request: Request,
): Promise<Connected> {
  const connection = checkedConnection(services, request)
  const connectionId = await checkedAfterwards(db, services, { wait: true, signal }, (tx) =>
    saveConnection(tx, services, connection),
  )
  const fault = await faultOf(db, connectionId, options.entry.displayName)
  return fault === undefined ? { connectionId } : { fault }
}

async function beginAtProvider(
  db: ProjectDb,
  services: ConnectServices,
  { options: { known }, purpose, back, signal }: Submitted,
  request: Request,
): Promise<Connected> {
  const { groupRef, groupName, consumerRef, consumerName, providerAppId, askedBy } = purpose
  const account = known
    ? await checkedReconnect(db, services, known)
    : await checkedAccount(db, services, { ...request, ...(providerAppId !== undefined && { providerAppId }) })
  const leadsTo = await beginFlow(db, services, {
    account,
    purpose: known
      ? { kind: 'reconnect', connectionId: known.connection_id }
      : {
          kind: 'connect',
          groupRef,
          ...(groupName && { groupName }),
          consumerRef,
          ...(consumerName && { consumerName }),
        },
    bound: true,
    openerOrigin: 'end' in back ? back.end.openerOrigin : undefined,
    askedBy,
    signal,
    ...('page' in back ? { page: back.page } : { end: back.end }),
  })
  await waitForProvider(db, services, back)
  return { leadsTo }
}

async function beginConversation(
  db: ProjectDb,
  services: ConnectServices,
  { options, purpose, back, signal }: Submitted,
  request: Request,
): Promise<Connected> {
  const { providerAppId } = purpose
  const start = await checkedStart(
    db,
    services,
    { ...request, ...(providerAppId !== undefined && { providerAppId }) },
    undefined,
  )
  const returns =
    'page' in back
      ? { page: { ...back.page, browserHash: hashedBrowser(back.browserSecret) } }
      : { end: { ...back.end, browserHash: undefined } }
  try {
    const outcome = await runAuthenticationSteps(db, services, { ...start, ...returns }, { params: undefined, signal })
    if (!('redirect' in outcome)) {
      const fault = await faultOf(db, outcome.connectionId, options.entry.displayName)
      return fault === undefined ? outcome : { fault }
    }
    await waitForProvider(db, services, back)
    if ('page' in back) return { leadsTo: outcome.redirect.url }
    return { leadsTo: await startUrlOf(db, services, outcome.redirect) }
  } catch (error) {
    if (!(error instanceof CustomAuthRefused || error instanceof CustomAuthUnavailable)) throw error
    const kind = error instanceof CustomAuthRefused ? 'refused' : 'unreachable'
    const { message } = error as Error
    return { fault: { kind, text: message, reason: message } }
  }
}

async function waitForProvider(db: ProjectDb, { now }: { now: () => Date }, back: Submitted['back']): Promise<void> {
  if ('page' in back)
    return await extendConnectSession(db, back.page.sessionId, {
      until: new Date(now().getTime() + flowMinutes * 60_000),
      minutes: connectSessionMinutes + flowMinutes,
    })
  if (back.end.sessionId !== undefined) await clearFailure(db, back.end.sessionId)
}
