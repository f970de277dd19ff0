import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { InvalidInput } from '../../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../../kernel/net/index.ts'
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
} from '../custom/index.ts'
import { flowMinutes } from '../flow.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { OpenedSession } from './connect-session.ts'
import { extendConnectSession } from './connect-session-store.ts'
import { faultOf } from './fault-of.ts'
import { type Faults, faultsOf, fieldFaults, requestOf } from './form.ts'
import type { AuthenticationMethod, Field } from './methods.ts'

export type ConnectServices = StepServices & { guard: AddressGuard }

/** What a person sent. */
export interface Submitted {
  session: OpenedSession
  /** Of the link. */
  token: string
  browserSecret: string
  options: ConnectOptions
  method: AuthenticationMethod
  fields: readonly Field[]
  values: ReadonlyMap<string, string>
  signal: AbortSignal
}

/** `leadsTo`: a page at which access is granted, after which the browser comes back to the session's page. */
export type Connected = { connectionId: string } | { leadsTo: string } | { faults: Faults }

/**
 * Connects an account with what a person gave; says what is wrong with it otherwise, at the fields that it is about.
 */
export async function connectAccount(db: ProjectDb, services: ConnectServices, sent: Submitted): Promise<Connected> {
  const { options, method, fields, values, session } = sent
  const faults = fieldFaults(fields, values)
  if (faults.size > 0) return { faults }
  const { known } = options
  const request = {
    ...requestOf(options.entry, method, session.purpose, values),
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
    if (!(error instanceof InvalidInput)) throw error
    return { faults: faultsOf((error as InstanceType<typeof InvalidInput>).issues, fields) }
  }
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
  return fault === undefined ? { connectionId } : { faults: new Map([['', fault]]) }
}

async function beginAtProvider(
  db: ProjectDb,
  services: ConnectServices,
  { options: { known }, session, token }: Submitted,
  request: Request,
): Promise<Connected> {
  const { groupRef, groupName, consumerRef, consumerName, providerAppId, askedBy } = session.purpose
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
    openerOrigin: undefined,
    askedBy,
    page: { sessionId: session.id, token },
  })
  await waitForProvider(db, services, session.id)
  return { leadsTo }
}

async function beginConversation(
  db: ProjectDb,
  services: ConnectServices,
  { options, session, token, browserSecret, signal }: Submitted,
  request: Request,
): Promise<Connected> {
  const { providerAppId } = session.purpose
  const start = await checkedStart(
    db,
    services,
    { ...request, ...(providerAppId !== undefined && { providerAppId }) },
    undefined,
  )
  const page = { sessionId: session.id, token, browserHash: hashedBrowser(browserSecret) }
  try {
    const outcome = await runAuthenticationSteps(db, services, { ...start, page }, { params: undefined, signal })
    if (!('redirect' in outcome)) {
      const fault = await faultOf(db, outcome.connectionId, options.entry.displayName)
      return fault === undefined ? outcome : { faults: new Map([['', fault]]) }
    }
    await waitForProvider(db, services, session.id)
    return { leadsTo: outcome.redirect.url }
  } catch (error) {
    if (!(error instanceof CustomAuthRefused || error instanceof CustomAuthUnavailable)) throw error
    return { faults: new Map([['', (error as Error).message]]) }
  }
}

function waitForProvider(db: ProjectDb, { now }: { now: () => Date }, sessionId: string): Promise<void> {
  return extendConnectSession(db, sessionId, new Date(now().getTime() + flowMinutes * 60_000))
}
